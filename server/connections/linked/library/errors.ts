/** The status code in the library's errors; some of them are numbers and no errors at all. */
export function codeOf(error: unknown): number | undefined {
  if (typeof error === 'number') return error
  return (error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode
}

/** The connection is gone or going: the library says so by one of two codes. */
export const isDisconnect = (error: unknown): boolean => [428, 1006].includes(codeOf(error) ?? 0)

/** WhatsApp's code in the library's error for a question. */
export const refusalOf = (error: unknown): number | null => {
  const { data } = error as { data?: unknown }
  return typeof data === 'number' ? data : null
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
