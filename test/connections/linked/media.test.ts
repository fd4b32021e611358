import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { MediaFile } from '../../../server/media/fetch.ts'
import { samples } from '../../support/samples.ts'
import { createWorld, RECIPIENT } from './world.ts'

async function linked() {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  return { ...world, run, recipient: world.peer.recipient(RECIPIENT) }
}

describe('media', () => {
  test.each<[MediaFile['kind'], string, string, Buffer]>([
    ['image', 'image/png', 'foto.png', samples.png],
    ['image', 'image/jpeg', 'foto.jpg', randomBytes(300_000)],
    ['video', 'video/mp4', 'video.mp4', samples.mp4],
    ['document', 'application/pdf', 'Faktur 12 – März.pdf', samples.pdf],
  ])('%s of %s arrives byte for byte with its caption', async (kind, mimetype, fileName, bytes) => {
    const { run, message, file, recipient, peer } = await linked()
    const sent = await message('Terima kasih 🙏', { file: 'https://example.com/f' })
    expect(await run.send(sent, await file(kind, bytes, mimetype, fileName))).toEqual({ kind: 'acknowledged' })
    const received = await recipient.next()
    expect(received).toMatchObject({ id: sent.providerMessageId, type: kind, text: 'Terima kasih 🙏' })
    expect(received.media).toMatchObject({ mimetype, ...(kind === 'document' ? { fileName } : {}) })
    expect(received.media?.bytes.equals(bytes)).toBe(true)
    expect(peer.journal.messages).toHaveLength(1)
  })

  test('without a caption has none', async () => {
    const { run, message, file, recipient } = await linked()
    const sent = await message(null, { file: 'https://example.com/f' })
    await run.send(sent, await file('image', samples.png, 'image/png', 'foto.png'))
    expect((await recipient.next()).media?.caption).toBeUndefined()
  })

  test('audio follows its text, which has an id of its own; both must be acknowledged', async () => {
    const { run, message, file, recipient, peer } = await linked()
    const sent = await message('Dengarkan', { file: 'https://example.com/a' })
    const audio = await file('audio', samples.mp3, 'audio/mpeg', 'a.mp3')
    peer.faults.acknowledge('late', { next: 1 })
    let settled = false
    const outcome = run.send(sent, audio).then((result) => {
      settled = true
      return result
    })
    await peer.journal.arrived(2)
    const [text, sound] = await recipient.messages()
    expect(text).toMatchObject({ type: 'text', text: 'Dengarkan' })
    expect(sound).toMatchObject({ type: 'audio', id: sent.providerMessageId })
    expect(sound?.media?.bytes.equals(samples.mp3)).toBe(true)
    expect(text?.id).not.toBe(sound?.id)
    expect(settled).toBe(false)
    peer.faults.release()
    expect(await outcome).toEqual({ kind: 'acknowledged' })
  })

  test('is uploaded once: the next attempt sends the very same content, also after a restart', async () => {
    const { run, message, file, recipient, peer, open } = await linked()
    const sent = await message('foto', { file: 'https://example.com/f' })
    peer.faults.acknowledge('cut before', { next: 1 })
    expect(await run.send(sent, await file('image', samples.png, 'image/png', 'f.png'))).toMatchObject({
      kind: 'unknown',
    })
    await run.linked.stop()
    const next = open()
    next.linked.start()
    await next.state('connected')
    expect(await next.send(sent, null)).toEqual({ kind: 'acknowledged' })
    const [first, second] = await recipient.messages()
    expect(second?.id).toBe(first?.id)
    expect(second?.content).toEqual(first?.content)
  })

  test('that the host does not take was not sent', async () => {
    const { run, message, file, peer } = await linked()
    const sent = await message(null, { file: 'https://example.com/f' })
    const image = await file('image', samples.png, 'image/png', 'f.png')
    peer.refuseMedia(500)
    expect(await run.send(sent, image)).toMatchObject({ kind: 'not_sent' })
    peer.refuseMedia()
    expect(await run.send(sent, image)).toEqual({ kind: 'acknowledged' })
    expect(peer.journal.messages).toHaveLength(1)
  })

  test('whose host closes in the middle of its answer was not sent, and what is behind it leaves', async () => {
    const { run, message, file, peer } = await linked()
    const sent = await message(null, { file: 'https://example.com/f' })
    const image = await file('image', samples.png, 'image/png', 'f.png')
    peer.media.misbehave((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-length': 500 }).write('{"url":')
        response.socket?.end()
      })
    })
    expect(await run.send(sent, image)).toMatchObject({ kind: 'not_sent' })
    expect(await run.send(await message('Halo'))).toEqual({ kind: 'acknowledged' })
    peer.media.misbehave()
    expect(await run.send(sent, image)).toEqual({ kind: 'acknowledged' })
  })

  test('on its way when the sender stops is sent by the next run', async () => {
    const { run, message, file, peer, open } = await linked()
    const sent = await message(null, { file: 'https://example.com/f' })
    const image = await file('image', samples.png, 'image/png', 'f.png')
    const arrived = Promise.withResolvers<void>()
    peer.media.misbehave((request) => void request.resume().on('end', arrived.resolve))
    const outcome = run.send(sent, image)
    await arrived.promise
    await run.linked.stop()
    expect(await outcome).toEqual({ kind: 'offline' })
    peer.media.misbehave()
    const next = open()
    next.linked.start()
    await next.state('connected')
    expect(await next.send(sent, image)).toEqual({ kind: 'acknowledged' })
  })

  test('needs no folder for temporary files', async () => {
    const { run, message, file, home } = await linked()
    vi.stubEnv('TMPDIR', join(home, 'missing'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const sent = await message('a', { file: 'https://example.com/a' })
    const outcome = await run.send(sent, await file('audio', samples.mp3, 'audio/mpeg', 'a.mp3'))
    expect(outcome).toEqual({ kind: 'acknowledged' })
  })
})
