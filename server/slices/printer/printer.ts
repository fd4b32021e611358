import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Concern, createConcern } from '../../contract/concerns.ts'
import { ApiError } from '../../contract/errors.ts'
import { createBackground } from '../../lib/background.ts'
import { type Clock, DAY, HOUR, isoTime, MINUTE, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MessageContext } from '../../messages/context.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import {
  type LearnRequest,
  type PrintDetail,
  type PrinterView,
  type PrintReason,
  type PrintView,
  type SendPrintRequest,
  TROUBLES,
  type UpdatePrinter,
} from './contract.ts'
import { endsInCut, endsInText, readReceipt, splitAtCuts } from './escpos.ts'
import { type Line, messageText, printedLines } from './paper.ts'
import { createPort, type PrintEnd } from './port.ts'
import { sendByRule, sendReceipt, sentTo } from './receipts.ts'
import { findMarks, findNumber, findReference, learnRule } from './rules.ts'
import {
  createPrintStore,
  type NewPrint,
  type PrintContent,
  type PrintOutcome,
  type PrintRow,
  type PrintStore,
  readSettings,
  type SettingsChange,
  saveSettings,
} from './store.ts'

const KEPT_FOR = 7 * DAY
const MOST_KEPT = { prints: 2_000, bytes: 128 * 1024 * 1024 }
const TRY_AGAIN_AFTER = 5 * SECOND
const AT_ONCE = 20
const LINES_SHOWN = 500
const TITLE_MAX = 80

export type Printer = ReturnType<typeof createPrinter>

/**
 * A printer that sends: it stores each print, finds the number by the rule that the owner taught,
 * and queues a message.
 */
export function createPrinter(messaging: MessageContext, clock: Clock, logger: Logger) {
  const { store } = messaging
  const { meta } = store
  const prints = createPrintStore(store.statements)
  const background = createBackground({ clock, logger })
  const port = createPort(receive, clock, logger)
  let isFull = false
  let isClosing = false
  let giveUp = (): void => {}
  let work: Promise<unknown> = Promise.resolve()
  const settings = () => readSettings(meta)
  const problemOf = (on: boolean) => (!on ? null : isFull ? 'full' : port.problem())

  /**
   * Runs tasks one after the other, so that a print is not sent by hand and by its rule at once.
   */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = work.then(run)
    work = done.catch(() => undefined)
    return done
  }

  /** Stores received prints, and retries until it succeeds. The port reads nothing meanwhile. */
  async function receive(bytes: Buffer, end: PrintEnd): Promise<{ prints: number; whole: number }> {
    const parts = await splitAtCuts(bytes)
    const last = parts.at(-1)
    // A broken print may lack lines, unless its last command cut the paper. Of a print that is too
    // large, whole receipts may be missing.
    const isBroken =
      last !== undefined &&
      (end === 'too_large' ||
        (end === 'broken' && !(await endsInCut(last))) ||
        (end === 'silent' && (await endsInText(last))))
    const rows = parts.map((content) => ({
      id: messaging.newId(),
      at: clock.now(),
      content,
      digest: hash('sha256', content),
      // Never send a broken print by itself: a truncated number is somebody else's.
      ...(isBroken && content === last
        ? { status: 'waiting' as const, reason: 'broken_off' }
        : { status: 'new' as const, reason: null }),
    }))
    for (const row of rows) await keep(row)
    look()
    return { prints: rows.length, whole: rows.length - Number(isBroken) }
  }

  async function keep(print: NewPrint): Promise<void> {
    for (;;) {
      const added = await prints.add(print, MOST_KEPT).catch((error: unknown) => {
        logger.warn({ err: error }, 'a print could not be kept yet')
        return 'not_yet' as const
      })
      isFull = added === 'full'
      if (added === 'added') return
      if (isClosing) throw new Error('Kurir is closing.')
      await new Promise<void>((resolve) => {
        const cancel = clock.after(TRY_AGAIN_AFTER, resolve)
        giveUp = () => {
          cancel()
          resolve()
        }
      })
    }
  }

  /** Schedules work on new prints. */
  function look(): void {
    if (!isClosing) background.later('prints', 0, () => inTurn(workOff))
  }

  async function workOff(): Promise<void> {
    try {
      const fresh = await prints.fresh(AT_ONCE)
      for (const { id } of fresh) {
        const print = await prints.get(id)
        if (print !== undefined && !isClosing) await workOn(print)
        // Let other calls run in between.
        await setImmediate()
      }
      if (fresh.length === AT_ONCE) look()
    } catch (error) {
      logger.warn({ err: error }, 'a print could not be worked on yet')
      const asked = error instanceof ApiError ? (error.extras.retry_after ?? 0) * SECOND : 0
      if (!isClosing) background.later('prints', Math.max(asked, TRY_AGAIN_AFTER), () => inTurn(workOff))
    }
  }

  async function workOn(print: PrintContent): Promise<void> {
    const lines = readReceipt(print.content, settings().code_page)
    await settle(print, lines, await sendByRule(messaging, prints, print, lines))
  }

  const settle = (print: PrintRow, lines: readonly Line[], outcome: PrintOutcome) =>
    prints.change(print.id, { ...outcome, title: titleOf(lines) })

  /** @throws ApiError `not_found` */
  async function known(id: string): Promise<PrintContent> {
    const print = await prints.get(id)
    if (print === undefined) throw new ApiError('not_found', 'There is no print with this id.')
    return print
  }

  async function save(change: SettingsChange): Promise<void> {
    const before = settings()
    const next = await saveSettings(store, change)
    if (next.on === before.on && next.port === before.port) return
    await port.close()
    if (next.on) await port.open(next.port)
  }

  async function view(): Promise<PrinterView> {
    const { on, ...rest } = settings()
    const waiting = (await prints.waiting()).reduce((sum, { count }) => sum + count, 0)
    return { ...rest, on, listening: port.address() !== null, problem: problemOf(on), waiting }
  }

  async function expire(): Promise<void> {
    if (isClosing) return
    background.later('expire', HOUR, expire)
    await prints.expire(clock.now() - KEPT_FOR)
  }

  // Open the port if it is switched on, and continue with prints that a crash left behind.
  background.run('port', async () => {
    const { on, port: wanted } = settings()
    if (on) await port.open(wanted)
  })
  look()
  background.later('expire', MINUTE, expire)

  return {
    view,
    /** @throws ApiError `conflict`, `invalid_request` */
    update: (change: UpdatePrinter): Promise<PrinterView> =>
      inTurn(async () => {
        // Without a number rule nothing can be sent.
        await save(change.number_rule === null ? { ...change, sending: false } : change)
        return view()
      }),
    /** Learns a rule from a marked value on a print. @throws ApiError */
    learn: ({ print_id, what, line, from }: LearnRequest): Promise<PrinterView> =>
      inTurn(async () => {
        const { content } = await known(print_id)
        const lines = printedLines(readReceipt(content, settings().code_page))
        if (!findMarks(lines).some((mark) => mark.line === line && mark.from === from))
          throw invalidRequest([fieldProblem('from', 'not_one_of')])
        const rule = learnRule(lines, { line, from })
        if (what === 'reference' && rule.place === 'alone')
          throw new ApiError('conflict', 'There are no words before this value by which it could be found again.')
        await save(what === 'number' ? { number_rule: rule } : { reference_rule: rule })
        return view()
      }),
    list: async (filter: Parameters<PrintStore['list']>[0]): Promise<(PrintView & { seq: number })[]> =>
      (await prints.list(filter)).map((row) => ({ seq: row.seq, ...rowView(row) })),
    /** @throws ApiError `not_found` */
    async get(id: string): Promise<PrintDetail> {
      const print = await known(id)
      const { code_page, number_rule, reference_rule } = settings()
      const receipt = readReceipt(print.content, code_page)
      const printed = printedLines(receipt)
      const number = number_rule === null ? undefined : findNumber(number_rule, printed)
      const lines = printed.slice(0, LINES_SHOWN)
      return {
        ...rowView(print),
        ...{ lines, marks: findMarks(lines), text: messageText(receipt) },
        found: {
          phone: number?.kind === 'found' ? number.value : null,
          reference_id: reference_rule === null ? null : findReference(reference_rule, printed),
        },
      }
    },
    /** Sends a waiting print by hand. @throws ApiError */
    send: (id: string, { phone, reference_id }: SendPrintRequest): Promise<void> =>
      inTurn(async () => {
        const print = await known(id)
        if (print.status === 'sent') throw new ApiError('conflict', 'This print was sent already.')
        const lines = readReceipt(print.content, settings().code_page)
        const reference = reference_id ?? print.reference
        const recipient = await sendReceipt(messaging, print, lines, { phone, reference })
        await settle(print, lines, sentTo(recipient, reference))
      }),
    /** @throws ApiError `not_found` */
    throwAway: (id: string): Promise<void> =>
      inTurn(async () => {
        if (!(await prints.remove(id))) throw new ApiError('not_found', 'There is no print with this id.')
      }),
    async facts(): Promise<PrinterFacts> {
      const { on, port: wanted } = settings()
      const rows = (await prints.waiting()).filter(({ reason }) => TROUBLES.some((one) => one === reason))
      return {
        problem: problemOf(on),
        port: wanted,
        troubled: rows.reduce((sum, { count }) => sum + count, 0),
        since: rows.length === 0 ? null : Math.min(...rows.map(({ since }) => since)),
      }
    },
    async close(): Promise<void> {
      isClosing = true
      giveUp()
      await port.close()
      await port.stored()
      await background.stop()
      await work
    },
  }
}

const rowView = ({ id, at, size, status, reason, error, title, phone, reference }: PrintRow): PrintView => ({
  ...{ id, at: isoTime(at), bytes: size, status, error, title, phone, reference_id: reference },
  reason: reason as PrintReason | null,
})

const titleOf = (lines: readonly Line[]): string =>
  (printedLines(lines).find((text) => text.trim() !== '') ?? '').trim().slice(0, TITLE_MAX)

interface PrinterFacts {
  /** Reason why no print is accepted; null: the port is off or works. */
  problem: 'port_taken' | 'port_refused' | 'full' | null
  port: number
  /** Number of prints that wait for the owner, without those that have no number. */
  troubled: number
  since: number | null
}

/** Pure. */
export function printerConcerns({ problem, port, troubled, since }: PrinterFacts): Concern[] {
  const page = '/prints'
  const found = troubled === 0 || since === null ? [] : [createConcern('prints_wait', { count: troubled, since, page })]
  if (problem === null) return found
  const code = problem === 'full' ? 'prints_full' : 'printer_closed'
  return [createConcern(code, { detail: String(port), page }), ...found]
}
