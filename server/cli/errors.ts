/** How a command ends; the command line's documentation lists these. */
export const EXIT = { done: 0, refused: 1, usage: 2, not_running: 3 } as const

/** Ends a command with one sentence. */
export class CliError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.refused, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
