import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Loading } from './loading.tsx'

interface QueryViewProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  children: (data: Data) => ReactNode
}

/**
 * Data from the server; before that a sign of loading, and an error above the data that is still
 * known.
 */
export const QueryView = <Data,>({ query: { data, error, refetch }, children }: QueryViewProps<Data>) => (
  <>
    {error === null ? null : <ErrorState error={error} retry={() => void refetch()} />}
    {data === undefined && error === null ? <Loading /> : null}
    {data === undefined ? null : children(data)}
  </>
)
