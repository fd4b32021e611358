/** How long something lives that a test has started. */
export type Lives = 'test' | 'file'
type Close = () => Promise<void> | void

const open: Record<Lives, Close[]> = { test: [], file: [] }

/**
 * Has it closed after the test or after the file, what was started last first; `setup.ts` holds the
 * hooks.
 */
export const closeAfter = (lives: Lives, close: Close): void => void open[lives].push(close)

/** Closes all of them, also where one cannot be closed. @throws what they threw */
export async function closeAll(lives: Lives): Promise<void> {
  const errors: unknown[] = []
  for (let close = open[lives].pop(); close !== undefined; close = open[lives].pop()) {
    try {
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'))
  if (errors.length === 1) throw errors[0]
}
