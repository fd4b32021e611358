import { useSearchParams } from 'wouter'

/** Changes of query parameters by name. Undefined or an empty text removes a parameter. */
export type UrlChange = Record<string, string | undefined>

/** By default replaces the entry in the browser's history, so that Back skips it. */
type SetUrl = (change: UrlChange, options?: { replace: boolean }) => void

/** Reads and sets query parameters: filters and open drawers, so that a copied address has them. */
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
