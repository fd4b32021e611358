import { expect, test } from 'vitest'
import { createLogger } from '../../server/lib/logger.ts'

const MINUTE = 60_000

function open() {
  const lines: Record<string, unknown>[] = []
  const time = { now: 0 }
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const logger = createLogger('info', { write }, () => time.now)
  return { lines, time, logger }
}

test('an error that comes again and again is one line a minute, with the count of the others', () => {
  const { lines, time, logger } = open()
  const full = () => logger.error({ err: new Error('the disk is full') }, 'the database refused')
  for (let n = 0; n < 1_000; n += 1) full()
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toHaveProperty('repeated')
  time.now += MINUTE
  full()
  expect(lines[1]).toMatchObject({ msg: 'the database refused', repeated: 999, err: { message: 'the disk is full' } })
  time.now += MINUTE
  full()
  expect(lines[2]).not.toHaveProperty('repeated')
})

test('other errors, the same one elsewhere, incidents and news are all written', () => {
  const { lines, logger } = open()
  const err = new Error('the disk is full')
  logger.error({ err }, 'the database refused')
  logger.error({ err }, 'a lane could not go on')
  logger.error({ err: new Error('locked') }, 'the database refused')
  for (const incident of ['a', 'b']) logger.error({ err, incident }, 'unexpected error')
  for (let n = 0; n < 2; n += 1) logger.info({ port: 1 }, 'ready')
  expect(lines).toHaveLength(7)
})
