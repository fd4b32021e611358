import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../server/lib/logger.ts'
import { startApp } from '../support/app.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'

/** `logs --follow` as a process, with what it writes line by line. */
function follow(home: string, ...options: string[]) {
  const child = spawn(process.execPath, [programFile('cli'), 'logs', '--follow', ...options], {
    env: { ...SPARSE_ENV, KURIR_HOME: home },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const linesOf = (stream: NodeJS.ReadableStream) => createInterface({ input: stream })[Symbol.asyncIterator]()
  const [out, notes] = [linesOf(child.stdout), linesOf(child.stderr)]
  /** Resolves with all lines up to the one that has a text. */
  async function until(text: string, lines = out): Promise<string[]> {
    const seen: string[] = []
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`it ended before ${text}: ${seen.join('\n')}`)
      seen.push(value)
      if (value.includes(text)) return seen
    }
  }
  return { child, ended: once(child, 'exit'), until, note: (text: string) => until(text, notes) }
}

test('new lines are followed over a restart, each once and without numbers, until Ctrl+C', async () => {
  const app = await startApp()
  app.app.logger.info('the first')
  const log = follow(app.home)
  await log.until('the first')
  app.app.logger.info('sent to 6281234567890')
  expect(await log.until('sent to')).toEqual([expect.stringContaining('sent to [number]')])

  await app.restart(async () => void (await log.note('does not run any more')))
  app.app.logger.info('after the restart')
  await log.note('runs again')
  const since = await log.until('after the restart')
  expect(since.join()).not.toContain('the first')
  app.app.logger.info('the last')
  expect(await log.until('the last')).toHaveLength(1)
  log.child.kill('SIGINT')
  expect(await log.ended).toEqual(process.platform === 'win32' ? [null, 'SIGINT'] : [0, null])
})

test('as JSON each line is an object, also one that lost a number', async () => {
  const app = await startApp()
  app.app.logger.info({ at: 6281234567890 }, 'a number')
  app.app.logger.info({ port: 7420 }, 'the newest')
  const log = follow(app.home, '--json')
  const lines = (await log.until('the newest')).map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ level: 30, port: 7420, msg: 'the newest' })
  expect(lines.at(-2)).toEqual({ msg: expect.stringContaining('"at":[number]') })
  expect((await runCommand(app.home, ['logs', '--json'])).json()).toEqual(lines)
})

test('a Kurir that does not run is not waited for', async () => {
  const none = await runCommand(temporaryFolder(), ['logs', '--follow'])
  expect([none.code, none.refused]).toEqual([3, expect.stringContaining('Kurir does not run')])
})

test('lines that are not remembered any more are counted', () => {
  const log = createLogger('info', { write: () => true })
  const { position } = log.linesAfter()
  for (let line = 0; line < 502; line += 1) log.info(`line ${line}`)
  const { lines, lost } = log.linesAfter(position)
  expect([lines.length, lost]).toEqual([500, 2])
  expect(lines[0]).toContain('line 2')
  const next = log.linesAfter(position)
  expect(log.linesAfter(next.position)).toEqual({ lines: [], position: next.position, lost: 0 })
  // Of another start, or of none: from the oldest.
  expect(createLogger('info', { write: () => true }).linesAfter(next.position)).toMatchObject({ lines: [], lost: 0 })
  expect(log.linesAfter('another-start.700')).toMatchObject({ lines: { length: 500 }, lost: 0 })
})
