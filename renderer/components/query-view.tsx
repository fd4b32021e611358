import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Loading } from './loading.tsx'

interface QueryViewProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  children: (data: Data) => ReactNode
}

/** Data of a query, a loader before it comes, and an error above the last known data. */
export const QueryView = <Data,>({ query: { data, error, refetch }, children }: QueryViewProps<Data>) => (
  <>
    {error === null ? null : <ErrorState error={error} retry={() => void refetch()} />}
    {data === undefined && error === null ? <Loading /> : null}
    {data === undefined ? null : children(data)}
  </>
)
