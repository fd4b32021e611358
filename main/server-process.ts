import { type Attention, fromServer, type ToServer } from '../server/contract/desktop.ts'
import type { Schedule } from './schedule.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** A server that has run this long is stable: its next crash starts with the shortest pause. */
const STABLE_AFTER_MS = 60_000
/** A server that crashes this often without once being ready will not start by itself. */
const GIVE_UP_AFTER = 3
/** A send in progress ends within this time or is taken up again by the next start. */
const STOP_WITHIN_MS = 15_000

/** The part of Electron's UtilityProcess that is used. */
export interface ServerChild {
  postMessage(message: unknown): void
  kill(): boolean
  on(event: 'spawn', listener: () => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
}

export interface ServerProcessDeps {
  fork(): ServerChild
  /** Called for each process that is started. */
  init(): Omit<Extract<ToServer, { type: 'init' }>, 'type'>
  schedule: Schedule
  onReady(url: string): void
  /** Its address is free now, or another program's. */
  onGone(): void
  onAttention(attention: Attention): void
  /** It crashed and is restarted; reported once per series of crashes. */
  onCrash(): void
  /**
   * It will not start by itself; `message` is null where it could not say why. Nothing happens
   * until `start()`.
   */
  onFailed(message: string | null): void
}

/**
 * Runs the server in a process of its own, so that neither can crash the other, and restarts it
 * when it crashes.
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
      // Everything is closed then; what is left of the process has nothing to lose.
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
    everReady = true
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

  /** Settles when the process is gone: at its own pace, or after 15 s by force. */
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
