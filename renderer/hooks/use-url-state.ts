import { useSearchParams } from 'wouter'

/** Changes to the part of the address after `?`; undefined or an empty text removes a name. */
export type UrlChange = Record<string, string | undefined>

/** Unless told otherwise, the Back button does not lead to what was before. */
type SetUrl = (change: UrlChange, options?: { replace: boolean }) => void

/**
 * The part of the address after `?`: filters and open drawers, so that they can be copied and
 * survive a reload.
 */
export function useUrlState(): [get: (name: string) => string | undefined, set: SetUrl] {
  const [params, setParams] = useSearchParams()

  const get = (name: string) => params.get(name) ?? undefined

  function set(change: UrlChange, options = { replace: true }) {
    setParams((previous) => withChange(previous, change), options)
  }

  return [get, set]
}

export function withChange(params: URLSearchParams, change: UrlChange): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}
