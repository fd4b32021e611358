import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SendRequest } from '../../server/contract/send.ts'
import type { SenderSettings } from '../../server/contract/senders.ts'
import { createBus } from '../../server/lib/bus.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { StorageError } from '../../server/lib/storage-error.ts'
import { createUuid7 } from '../../server/lib/uuid7.ts'
import { createUploads } from '../../server/media/uploads.ts'
import { acceptMessage, prepareMessage } from '../../server/messages/accept.ts'
import type { LaneContext, MessageContext } from '../../server/messages/context.ts'
import { createLanes } from '../../server/messages/lane.ts'
import { NOTHING_AS_SENT } from '../../server/messages/new-message.ts'
import { createRecorder } from '../../server/messages/record.ts'
import { RETRY } from '../../server/messages/status.ts'
import type { Message, SenderRow } from '../../server/store/index.ts'
import { closeAfter } from './cleanup.ts'
import { createTestClock } from './clock.ts'
import { openTestStore, turn } from './engine.ts'
import { newHome } from './new-home.ts'
import { createScriptedChannel } from './scripted-channel.ts'

export const FAST: SenderSettings = {
  name: 'Shop',
  pacing: { min_seconds: 0, max_seconds: 0 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
  second_road: null,
}

type Media = LaneContext['media']
const noMedia: Media = {
  prefetch: () => {},
  take: () => Promise.reject(new Error('no message of this test has a file')),
  release: async () => {},
}

export interface LaneOptions {
  settings?: Partial<SenderSettings>
  random?: () => number
  media?: Media
  start?: number
  /** Number of senders, each with its own lane and channel. */
  senders?: number
}

/** Starts lanes on a real store, with scripted channels and a test clock. */
export async function startLanes(options: LaneOptions = {}) {
  const home = await newHome()
  const clock = createTestClock(options.start)
  const logged: string[] = []
  const logger = createLogger('warn', { write: (line) => void logged.push(line) })
  /** `full`: changing a message fails. */
  const disk = { full: false }
  const owner = { allPaused: false }
  let run = await begin()

  async function begin() {
    const store = await openTestStore({ home, now: clock.now, soon: 0 })
    const bus = createBus()
    const newId = createUuid7(clock.now, (await store.messages.newest())?.id)
    const counts = { decisions: 0 }
    const messages: typeof store.messages = {
      ...store.messages,
      async change(...args) {
        if (disk.full) throw new StorageError('full', home)
        return store.messages.change(...args)
      },
    }
    const queues: typeof store.queues = {
      ...store.queues,
      async repeats(...args) {
        counts.decisions += 1
        return store.queues.repeats(...args)
      },
    }
    const record = createRecorder(messages, bus)
    const context: LaneContext = {
      messages,
      queues,
      sendingState: store.sendingState,
      senderOf: store.senders.get,
      allPaused: () => owner.allPaused,
      record,
      heldByOwner: new Map(),
      bus,
      clock,
      suppressions: store.suppressions,
      endTime: clock.now,
      logger,
      media: options.media ?? noMedia,
      random: options.random ?? (() => 0.5),
      retry: RETRY,
    }
    const lanes = createLanes(context)
    await lanes.recover()
    const uploads = createUploads({
      folder: join(home, 'files'),
      rows: store.uploads,
      shared: null,
      quota: () => 0,
      newId,
      endTime: clock.now,
      clock,
    })
    const messaging: MessageContext = {
      store,
      bus,
      newId,
      now: clock.now,
      record,
      files: { uploads, openLocalFile: () => Promise.reject(new Error('no file')), media: noMedia },
      lanes,
      channelOf: () => undefined,
      heldByOwner: new Map(),
      underWay: new Set(),
    }
    return { store, bus, record, context, lanes, messaging, counts }
  }

  for (let n = 1; n <= (options.senders ?? 1); n += 1) {
    await run.store.senders.add({
      code: `SND-${n}`,
      kind: 'linked',
      settings: { ...FAST, ...options.settings },
      state: 'connected',
      official: null,
      createdAt: clock.now(),
    })
  }
  const senders = (): SenderRow[] => run.store.senders.list()
  const channels = senders().map(() => createScriptedChannel(clock.now))
  const openAll = () => {
    for (const [i, { id }] of senders().entries()) {
      const channel = channels[i]?.channel
      if (channel) run.lanes.open(id, channel)
    }
  }
  openAll()

  /** Resolves when no lane has decided anything for some turns of the event loop. */
  async function quiet(): Promise<void> {
    let last = -1
    for (let still = 0; still < 6; still = last === run.counts.decisions ? still + 1 : 0) {
      last = run.counts.decisions
      await turn()
    }
  }

  /** Moves time on in small steps and lets the lanes finish between them. */
  async function pass(ms: number, step = 1_000): Promise<void> {
    await quiet()
    for (let left = ms; left > 0; left -= step) {
      await clock.advance(Math.min(step, left))
      await quiet()
    }
  }

  async function accept(body: string, more: Partial<SendRequest> = {}, sender = 0): Promise<string> {
    const row = senders()[sender]
    if (row === undefined) throw new Error(`no sender ${sender}`)
    const request = { phone: '6281234567890', delay: 0, message: body, ...more } as SendRequest
    const attached = request.file === undefined ? null : { file: request.file, name: null, sha256: null }
    const message = await prepareMessage(run.messaging, { sender: row, key: null }, request, NOTHING_AS_SENT, attached)
    await acceptMessage(run.messaging, message, { key: null })
    return message.id
  }

  async function stop(ms = 0): Promise<void> {
    const stopped = run.lanes.stop(ms)
    await clock.advance(ms)
    await stopped
  }

  async function close(): Promise<void> {
    await stop()
    await run.store.close()
    rmSync(home, { recursive: true, force: true })
  }
  closeAfter('test', close)

  const [first] = channels
  if (first === undefined) throw new Error('a lane needs a sender')
  return {
    ...first,
    clock,
    channels,
    logged,
    disk,
    owner,
    get run() {
      return run
    },
    accept,
    quiet,
    pass,
    async message(id: string): Promise<Message> {
      const message = await run.store.messages.find({ id })
      if (message === undefined) throw new Error(`no message ${id}`)
      return message
    },
    attempts: async (id: string) => run.store.messages.attempts((await run.store.messages.find({ id }))?.seq ?? 0),
    async change(settings: Partial<SenderSettings> & { paused?: boolean }): Promise<void> {
      const { paused, ...rest } = settings
      const [sender] = senders()
      if (sender === undefined) return
      await run.store.senders.change(sender.id, (before) => ({
        settings: { ...before.settings, ...rest },
        ...(paused === undefined ? {} : { paused }),
      }))
      run.bus.emit('lane', { senderId: sender.id })
    },
    /** Continues as after `kill -9`: nothing is finished, and the database is opened again. */
    async crash(): Promise<void> {
      const before = run
      // The killed run's channels must not report anything.
      const stopped = before.lanes.stop(0)
      await clock.advance(0)
      await stopped
      await before.store.close()
      run = await begin()
      openAll()
      await quiet()
    },
    wake: (sender = 0) => run.lanes.wake(senders()[sender]?.id ?? 0),
  }
}
export type LaneHarness = Awaited<ReturnType<typeof startLanes>>
