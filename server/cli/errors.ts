import type { ErrorAnswer } from '../contract/errors.ts'
import { readableJson } from './output.ts'

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

/**
 * Why a command failed, on one line for programs: as Kurir answers them, with the way it ended
 * where Kurir said nothing.
 */
export function errorJson(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const exitCode = error instanceof CliError ? error.exitCode : EXIT.refused
  const code = Object.entries(EXIT).find(([, value]) => value === exitCode)?.[0]
  const said = error instanceof CliError ? error.answer : undefined
  return readableJson(said ?? { success: false, message, error: { code } })
}
