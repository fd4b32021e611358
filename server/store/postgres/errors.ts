import { StorageError, type StorageProblem } from '../../lib/storage-error.ts'

/** PostgreSQL's error codes (appendix A of its manual) by their beginning. */
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

/** Five characters, as PostgreSQL's; everything else comes from the connection. */
const isFromServer = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')

/** Another try may go through: two transactions met. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01', '23505', '23503'].includes(codeOf(error))

/** Somebody else had locked it for longer than was waited. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** An earlier statement of the transaction was refused, and with it all later ones. */
export const isAfterFailure = (error: unknown): boolean => codeOf(error) === '25P02'

/** The sender moved on to another node (leases.ts). */
export const isFenced = (error: unknown): boolean => codeOf(error) === 'KU001'

/** Codes of Node for what goes wrong on a connection. Errors of our own have codes as well. */
const OF_CONNECTION = /^(E(?!RR_)|ERR_(TLS|SSL|SOCKET)|CERT_|DEPTH_|SELF_|UNABLE_)/

/** True if the connection is lost, so that nothing is known of what was on its way. */
export const isLost = (error: unknown): boolean => {
  const code = codeOf(error)
  return !isFromServer(code)
    ? error instanceof Error &&
        (OF_CONNECTION.test(code) || (code === '' && /connection|timeout|terminated/i.test(error.message)))
    : /^(08|57P0)/.test(code)
}

/** True if nobody answered at the server's address; a server that is just starting refuses. */
export const isUnanswered = (error: unknown): boolean =>
  codeOf(error) === 'ETIMEDOUT' || (codeOf(error) === '' && error instanceof Error && /timeout/.test(error.message))

/**
 * For who starts something: it does not go on by itself, and the words of the server, or of the
 * connection, say what is to be corrected. They hold no password.
 */
export function asStartError(error: unknown, where: string): unknown {
  const reason = asStorageError(error, where)
  if (!(reason instanceof StorageError && reason.cause instanceof Error)) return reason
  const problem = reason.problem === 'no_server' ? 'never_reached' : reason.problem
  return new StorageError(problem, `${where}: ${reason.cause.message || codeOf(reason.cause)}`, reason.cause)
}

/** Asks the server; faults that are not of our own statements become StorageError. */
export const orStorageError = <T>(asked: Promise<T>, where: string): Promise<T> =>
  asked.catch((error: unknown) => {
    throw asStorageError(error, where)
  })

/**
 * Recognises what is no fault of our own statements.
 * @param where the server and database, without a password
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
