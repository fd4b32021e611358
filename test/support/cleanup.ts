/** Lifetime of a resource that a test started. */
export type Lives = 'test' | 'file'
type Close = () => Promise<void> | void

const open: Record<Lives, Close[]> = { test: [], file: [] }

/**
 * Registers a resource to close after the test or the file, in reverse order. The hooks are in
 * `setup.ts`.
 */
export const closeAfter = (lives: Lives, close: Close): void => void open[lives].push(close)

/** Closes all registered resources even if some fail. @throws the errors */
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
