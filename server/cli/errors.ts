import type { ErrorAnswer } from '../contract/errors.ts'
import { readableJson } from './output.ts'

/** Reasons of the system, as a person says them. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not',
  EPERM: 'this account may not',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
}

/** Says why the system refuses a file; undefined for an error of another kind. */
export function systemReason(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? undefined : (REASONS[code] ?? code)
}

/** How a command ends; the command line's documentation lists these. */
export const EXIT = { done: 0, refused: 1, usage: 2, not_running: 3 } as const

/** Ends a command with one sentence. */
export class CliError extends Error {
  readonly exitCode: number
  /** Kurir's answer, if it refused. */
  readonly answer: ErrorAnswer | undefined

  constructor(message: string, exitCode: number = EXIT.refused, options?: ErrorOptions & { answer?: ErrorAnswer }) {
    super(message, options)
    this.exitCode = exitCode
    this.answer = options?.answer
  }
}

/** Why a command failed, on one line for programs; as Kurir answers it where it does. */
export function errorJson(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const exitCode = error instanceof CliError ? error.exitCode : EXIT.refused
  const code = Object.entries(EXIT).find(([, value]) => value === exitCode)?.[0]
  const said = error instanceof CliError ? error.answer : undefined
  return readableJson(said ?? { success: false, message, error: { code } })
}
