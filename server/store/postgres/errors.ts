import { StorageError, type StorageProblem } from '../../lib/storage-error.ts'

/** Prefixes of PostgreSQL's error codes (appendix A of its manual). */
const BY_CODE: [prefix: string, problem: StorageProblem][] = [
  ['53100', 'full'],
  ['53', 'no_server'],
  ['08', 'no_server'],
  ['57', 'no_server'],
  ['58', 'no_server'],
  ['25006', 'standby'],
  ['25P03', 'no_server'],
  ['28', 'refused'],
  ['3D', 'refused'],
  ['42501', 'refused'],
]

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** True for PostgreSQL's five-character codes; other codes come from the connection. */
const isFromServer = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')

/** True if two transactions conflicted, so that another try may succeed. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01', '23505', '23503'].includes(codeOf(error))

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** True if an earlier statement of the transaction failed, and with it all later ones. */
export const isAfterFailure = (error: unknown): boolean => codeOf(error) === '25P02'

/** True if another node holds the sender (leases.ts). */
export const isFenced = (error: unknown): boolean => codeOf(error) === 'KU001'

/** Node's codes for failures of a connection. Mistakes in our own code have codes as well. */
const OF_CONNECTION = /^(E(?!RR_)|ERR_(TLS|SSL|SOCKET)|CERT_|DEPTH_|SELF_|UNABLE_)/

/** True if the connection is lost, so that the fate of open statements is unknown. */
export const isLost = (error: unknown): boolean => {
  const code = codeOf(error)
  return !isFromServer(code)
    ? error instanceof Error &&
        (OF_CONNECTION.test(code) || (code === '' && /connection|timeout|terminated/i.test(error.message)))
    : /^(08|57P0)/.test(code)
}

/**
 * True if nobody answered at the server's address. A server that is just starting refuses instead.
 */
export const isUnanswered = (error: unknown): boolean =>
  codeOf(error) === 'ETIMEDOUT' || (codeOf(error) === '' && error instanceof Error && /timeout/.test(error.message))

/**
 * Returns the error for a start, which is not retried. The server's or the connection's own words,
 * which hold no password, say what to correct.
 */
export function asStartError(error: unknown, where: string): unknown {
  const reason = asStorageError(error, where)
  if (!(reason instanceof StorageError && reason.cause instanceof Error)) return reason
  const problem = reason.problem === 'no_server' ? 'never_reached' : reason.problem
  return new StorageError(problem, `${where}: ${reason.cause.message || codeOf(reason.cause)}`, reason.cause)
}

/**
 * Waits for an answer of the server, and turns faults other than those of our own statements into
 * StorageError.
 */
export const orStorageError = <T>(asked: Promise<T>, where: string): Promise<T> =>
  asked.catch((error: unknown) => {
    throw asStorageError(error, where)
  })

/**
 * Turns an error into a StorageError, unless one of our own statements is at fault.
 * @param where server and database, without a password
 */
export function asStorageError(error: unknown, where: string): unknown {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  const problem = isFromServer(code)
    ? BY_CODE.find(([prefix]) => code.startsWith(prefix))?.[1]
    : isLost(error)
      ? 'no_server'
      : undefined
  return problem === undefined ? error : new StorageError(problem, where, error)
}
