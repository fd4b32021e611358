import { type Attention, fromServer, type ToServer } from '../server/contract/desktop.ts'
import type { Schedule } from './schedule.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** A server that has run this long is stable: after its next crash the pause is short again. */
const STABLE_AFTER_MS = 60_000
/** A server that crashes this often and was never ready is not restarted without the owner. */
const GIVE_UP_AFTER = 3
/** A send in progress ends within this time, or the next start continues it. */
const STOP_WITHIN_MS = 15_000

/** The part of Electron's UtilityProcess that this module uses. */
export interface ServerChild {
  postMessage(message: unknown): void
  kill(): boolean
  on(event: 'spawn', listener: () => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
}

export interface ServerProcessDeps {
  fork(): ServerChild
  /** Returns the first message for the server; called for each new process. */
  init(): Omit<Extract<ToServer, { type: 'init' }>, 'type'>
  schedule: Schedule
  onReady(url: string): void
  /** Called when the server has left its address, which another program may take. */
  onGone(): void
  onAttention(attention: Attention): void
  /** Called when the server crashed and is restarted, once per series of crashes. */
  onCrash(): void
  /**
   * Called when the server cannot start. Nothing happens then until `start()`.
   * @param message null: the server gave no reason
   */
  onFailed(message: string | null): void
}

/**
 * Runs the server in its own process, so that neither process can crash the other, and restarts the
 * server after a crash.
 */
export function createServerProcess(deps: ServerProcessDeps) {
  let child: ServerChild | undefined
  let stopping: PromiseWithResolvers<void> | undefined
  let crashes = 0
  let everReady = false
  let cancelTimer = () => {}

  function start(): void {
    if (child) return
    cancelTimer()
    const started = deps.fork()
    child = started
    let failure: string | undefined
    const init = deps.init()
    started.on('spawn', () => started.postMessage({ type: 'init', ...init } satisfies ToServer))
    started.on('message', (raw) => {
      const message = fromServer.parse(raw)
      if (message.type === 'ready') ready(message.url)
      if (message.type === 'restarting') deps.onGone()
      if (message.type === 'attention') deps.onAttention(message)
      if (message.type === 'failed') failure = message.message
      // The server has closed everything, so killing the process loses nothing.
      if (message.type === 'failed' || message.type === 'stopped') started.kill()
    })
    started.on('exit', () => {
      child = undefined
      cancelTimer()
      deps.onGone()
      if (stopping) stopping.resolve()
      else if (failure !== undefined) deps.onFailed(failure)
      else crashed()
    })
  }

  function ready(url: string): void {
    // A server that was told to stop as it started: its window would open while Kurir quits.
    if (stopping) return
    everReady = true
    cancelTimer()
    cancelTimer = deps.schedule(STABLE_AFTER_MS, () => {
      crashes = 0
    })
    deps.onReady(url)
  }

  function crashed(): void {
    crashes += 1
    if (!everReady && crashes >= GIVE_UP_AFTER) {
      crashes = 0
      deps.onFailed(null)
      return
    }
    if (crashes === 1) deps.onCrash()
    cancelTimer = deps.schedule(Math.min(FIRST_PAUSE_MS * 2 ** (crashes - 1), LONGEST_PAUSE_MS), start)
  }

  /** Stops the process, by force after 15 seconds; settles when it is gone. */
  function stop(): Promise<void> {
    if (stopping) return stopping.promise
    stopping = Promise.withResolvers()
    cancelTimer()
    if (child) {
      child.postMessage({ type: 'stop' } satisfies ToServer)
      cancelTimer = deps.schedule(STOP_WITHIN_MS, () => child?.kill())
    } else {
      stopping.resolve()
    }
    return stopping.promise
  }

  return { start, stop, send: (message: ToServer) => child?.postMessage(message) }
}
