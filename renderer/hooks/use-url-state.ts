import { useSearchParams } from 'wouter'

/** Changes to the part of the address after `?`; undefined or an empty text removes a name. */
export type UrlChange = Record<string, string | undefined>

/**
 * The part of the address after `?`: filters and open drawers, so that they can be copied and
 * survive a reload.
 */
export function useUrlState(): [get: (name: string) => string | undefined, set: (change: UrlChange) => void] {
  const [params, setParams] = useSearchParams()

  const get = (name: string) => params.get(name) ?? undefined

  function set(change: UrlChange) {
    setParams((previous) => withChange(previous, change), { replace: true })
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
