type Program = Pick<typeof import('../../server/app.ts'), 'createApp'> &
  Pick<typeof import('../../server/config.ts'), 'readConfig'> &
  Pick<typeof import('../../server/lib/logger.ts'), 'createLogger'>

const load = async (path: string): Promise<unknown> =>
  import(new URL(`../../dist/server/${path}`, import.meta.url).href)

/**
 * The program as it is shipped: built files, without the machinery that strips types from sources.
 */
export async function builtProgram(): Promise<Program> {
  await load('process/small-heap.js')
  const parts = await Promise.all(['app.js', 'config.js', 'lib/logger.js'].map(load))
  return Object.assign({}, ...parts) as Program
}
