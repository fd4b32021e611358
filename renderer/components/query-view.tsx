import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Loading } from './loading.tsx'

interface QueryViewProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  children: (data: Data) => ReactNode
}

/** What was read from the server; before that that it loads, and an error above what is still known. */
export const QueryView = <Data,>({ query: { data, error, refetch }, children }: QueryViewProps<Data>) => (
  <>
    {error === null ? null : <ErrorState error={error} retry={() => void refetch()} />}
    {data === undefined && error === null ? <Loading /> : null}
    {data === undefined ? null : children(data)}
  </>
)
