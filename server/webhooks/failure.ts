import type { EndpointRow } from '../store/index.ts'

/** Why the last callback of an endpoint was not taken. */
export type Failure = Pick<EndpointRow, 'lastError' | 'lastErrorCode' | 'lastErrorStatus'>

export const NO_FAILURE: Failure = { lastError: null, lastErrorCode: null, lastErrorStatus: null }
