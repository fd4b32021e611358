import { z } from 'zod'
import type { ProviderError } from '../../contract/errors.ts'
import type { Exchange, GraphHttp, GraphRequest } from './graph-http.ts'
import {
  type HistoryEvent,
  historyAnswer,
  type NumberHealth,
  numberHealth,
  pageOf,
  subscribedApps,
  type TokenInfo,
  tokenAnswer,
} from './graph-shapes.ts'
import { readGraphError, unreadableError } from './provider-error.ts'
import type { TemplateMessage } from './template-message.ts'
import { type Template, template } from './templates.ts'

/** How a call ended. Only `not_sent` and `refused` are sure to have had no effect. */
export type GraphOutcome<T> =
  | { kind: 'answered'; data: T }
  | { kind: 'refused'; error: ProviderError; retryAfter: number | null }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'unknown'; reason: 'timeout' | 'cut' | 'unreadable' }

/** What identifies an official sender at Meta. */
export interface Account {
  phoneNumberId: string
  wabaId: string
  accessToken: string
}

export interface Acceptance {
  providerMessageId: string
  /** `accepted`, `held_for_quality_assessment`, `paused`; `null` when Meta gave none. */
  messageStatus: string | null
  /** Meta's answer, unchanged. */
  body: unknown
}

export interface GraphClient {
  send(account: Account, message: TemplateMessage): Promise<GraphOutcome<Acceptance>>
  /** Every page; with `name` only that template, in all its languages. */
  templates(account: Account, name?: string): Promise<GraphOutcome<Template[]>>
  numberHealth(account: Account): Promise<GraphOutcome<NumberHealth>>
  tokenInfo(account: Account): Promise<GraphOutcome<TokenInfo>>
  /** The ids of the apps that get this account's webhooks. */
  subscribedApps(account: Account): Promise<GraphOutcome<string[]>>
  subscribe(account: Account): Promise<GraphOutcome<true>>
  /** What Meta remembers of one message, oldest first; empty where it keeps no history. */
  messageHistory(account: Account, providerMessageId: string): Promise<GraphOutcome<HistoryEvent[]>>
}

const acceptance = z.object({
  messages: z.tuple([z.object({ id: z.string().min(1), message_status: z.string().optional() })], z.unknown()),
})

const TEMPLATE_FIELDS = 'id,name,language,status,category,parameter_format,components,quality_score,rejected_reason'
const TEMPLATES_A_PAGE = 200
// Meta allows 6,000 templates in an account: twice that many, and the paging itself is broken.
const MOST_PAGES = 60
const NUMBER_FIELDS =
  'display_phone_number,verified_name,quality_rating,status,throughput,name_status,messaging_limit_tier,health_status'

/** @param version such as `v26.0` */
export function createGraphClient(http: GraphHttp, version: string): GraphClient {
  async function call<T>(
    account: Account,
    shape: z.ZodType<T>,
    method: GraphRequest['method'],
    segments: readonly string[],
    query: Record<string, string> = {},
    body?: object,
  ): Promise<GraphOutcome<{ value: T; json: unknown }>> {
    const path = `/${[version, ...segments].map(encodeURIComponent).join('/')}`
    const search = new URLSearchParams(query).toString()
    const exchange = await http.exchange({
      method,
      path: search === '' ? path : `${path}?${search}`,
      token: account.accessToken,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return interpret(exchange, shape, account.accessToken)
  }

  const get = async <T>(
    account: Account,
    shape: z.ZodType<T>,
    segments: readonly string[],
    query: Record<string, string> = {},
  ): Promise<GraphOutcome<T>> => mapData(await call(account, shape, 'GET', segments, query), ({ value }) => value)

  return {
    async send(account, message) {
      const sent = await call(account, acceptance, 'POST', [account.phoneNumberId, 'messages'], {}, message)
      return mapData(sent, ({ value, json }) => ({
        providerMessageId: value.messages[0].id,
        messageStatus: value.messages[0].message_status ?? null,
        body: json,
      }))
    },

    async templates(account, name) {
      const all: Template[] = []
      const query: Record<string, string> = { fields: TEMPLATE_FIELDS, limit: String(TEMPLATES_A_PAGE) }
      if (name !== undefined) query.name = name
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const outcome = await get(account, pageOf(template), [account.wabaId, 'message_templates'], query)
        if (outcome.kind !== 'answered') return outcome
        all.push(...outcome.data.rows)
        if (outcome.data.after === null) return { kind: 'answered', data: all }
        query.after = outcome.data.after
      }
      return { kind: 'unknown', reason: 'unreadable' }
    },

    numberHealth: (account) => get(account, numberHealth, [account.phoneNumberId], { fields: NUMBER_FIELDS }),

    // The token stands in the query of this one call: its address must not be logged.
    async tokenInfo(account) {
      const outcome = await get(account, tokenAnswer, ['debug_token'], { input_token: account.accessToken })
      return mapData(outcome, (info) => ({
        ...info,
        reason: info.reason === null ? null : withoutTokens(info.reason, account.accessToken),
      }))
    },

    subscribedApps: (account) => get(account, subscribedApps, [account.wabaId, 'subscribed_apps']),

    async subscribe(account) {
      const shape = z.object({ success: z.literal(true) })
      const outcome = await call(account, shape, 'POST', [account.wabaId, 'subscribed_apps'])
      return mapData(outcome, () => true as const)
    },

    messageHistory: (account, providerMessageId) =>
      get(account, historyAnswer, [account.phoneNumberId, 'message_history'], { message_id: providerMessageId }),
  }
}

function interpret<T>(
  exchange: Exchange,
  shape: z.ZodType<T>,
  token: string,
): GraphOutcome<{ value: T; json: unknown }> {
  if (exchange.kind !== 'answered') return exchange
  const { status, text, retryAfter } = exchange
  const json = parse(text)
  if (status < 200 || status > 299 || readGraphError(json, status) !== null) {
    const error = readGraphError(parse(withoutTokens(text, token)), status) ?? unreadableError(status)
    return { kind: 'refused', error, retryAfter }
  }
  const parsed = shape.safeParse(json)
  return parsed.success
    ? { kind: 'answered', data: { value: parsed.data, json } }
    : { kind: 'unknown', reason: 'unreadable' }
}

function mapData<A, B>(outcome: GraphOutcome<A>, change: (data: A) => B): GraphOutcome<B> {
  return outcome.kind === 'answered' ? { kind: 'answered', data: change(outcome.data) } : outcome
}

/** Meta quotes a malformed token in its errors: it must reach neither a log nor a caller. */
function withoutTokens(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replace(/\bEAA[A-Za-z0-9]{20,}/g, '[token]')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
