import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { OWNER_TOKEN, SANDBOX } from '../support/app.ts'
import { isShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type Program, startProgram } from '../support/program.ts'
import { samples } from '../support/samples.ts'

const MB = 1024 * 1024
const files = (program: Program) => readdirSync(join(program.home, 'files'))

async function store(program: Program, bytes: Buffer | Readable): Promise<string> {
  const answer = await request(`${program.url}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  const { data } = (await answer.body.json()) as { data: { file_id: string } }
  expect(answer.statusCode).toBe(200)
  return data.file_id
}

function* zeros(chunks: number) {
  for (let n = 0; n < chunks; n += 1) yield Buffer.alloc(64 * 1024)
}

/** In KiB: the most that the process has ever held in memory, and what it holds now. */
function memoryOf({ pid }: Program) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1])
  return { peak: read('VmHWM'), now: read('VmRSS') }
}

/** In MB. To a server it goes on in rows of one, which the collector of garbage lets lie for a while. */
const MOST_MEMORY = isShared ? 80 : 20

test.runIf(process.platform === 'linux')('a file of 100 MB is never in memory as a whole', async () => {
  const program = await startProgram({})
  // What a first upload loads is no part of the second.
  await store(program, Readable.from(zeros(160)))
  writeFileSync(`/proc/${program.pid}/clear_refs`, '5')
  const before = memoryOf(program).now
  await store(program, Readable.from(zeros(1600)))
  const grown = (memoryOf(program).peak - before) / 1024
  console.info(`100 MB uploaded: the process grew by ${grown.toFixed(1)} MB`)
  expect(grown).toBeLessThan(MOST_MEMORY)
})

test('a sudden end in the middle of an upload leaves nothing; what was answered is there, and is sent', async () => {
  const program = await startProgram({})
  for (let round = 0; round < 3; round += 1) {
    const kept = await store(program, samples.pdf)
    const body = { phone: '6281234567890', message: 'Nota', sender_code: SANDBOX, file_id: kept, delay: 3_600 }
    const { id } = (await program.owner<{ data: { id: string } }>('/send', body)).body.data
    const socket = connect(Number(new URL(program.url).port), '127.0.0.1').on('error', () => undefined)
    socket.write(
      `POST /files HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${OWNER_TOKEN}\r\nContent-Type: application/pdf\r\nContent-Length: ${MB}\r\n\r\n`,
    )
    socket.write(Buffer.alloc(MB / 4))
    await eventually(() => files(program).some((name) => name.endsWith('.part')))
    await program.kill()
    socket.destroy()
    expect(files(program).some((name) => name.endsWith('.part'))).toBe(true)
    await program.start()
    expect(files(program)).toHaveLength(round + 1)
    expect(files(program)).toContain(kept)
    await program.patch(`/messages/${id}`, { send_at: new Date().toISOString() })
    const read = async () => (await program.owner<{ data: { status: string } }>(`/messages/${id}`)).body.data.status
    await eventually(async () => ['sent', 'delivered', 'read', 'failed'].includes(await read()))
    expect(await read()).not.toBe('failed')
  }
})
