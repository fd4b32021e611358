import { z } from 'zod'
import { DAY } from '../../../lib/clock.ts'
import { createGraphCalls, type GraphOutcome, mapData, withoutToken } from './graph-call.ts'
import type { GraphHttp } from './graph-http.ts'
import {
  type Fields,
  HISTORY_FIELDS,
  type HistoryEvent,
  historyAnswer,
  NO_EXTRAS,
  NUMBER_EXTRAS,
  NUMBER_FIELDS,
  type NumberExtras,
  type NumberHealth,
  numberCore,
  numberExtras,
  subscribedApps,
  TEMPLATE_FIELDS,
  type TokenInfo,
  tokenAnswer,
} from './graph-shapes.ts'
import { nonexistingField } from './provider-error.ts'
import { isForMarketingApi, listedTemplate, type Template, type TemplateMessage } from './templates.ts'

export type { GraphOutcome } from './graph-call.ts'

/** Ids and token of an official sender at Meta. */
export interface Account {
  phoneNumberId: string
  wabaId: string
  accessToken: string
}

/** Id and secret of an app at Meta. Joined by `|` they are the app's access token. */
export interface AppCredentials {
  appId: string
  appSecret: string
}

/** Webhook address to enter at Meta. Meta calls the address before it accepts it. */
export interface CallbackAddress {
  url: string
  verifyToken: string
}

export interface Acceptance {
  providerMessageId: string
  /** `accepted`, `held_for_quality_assessment`, `paused`; null if Meta gave none. */
  messageStatus: string | null
  /** Meta's answer, unchanged. */
  body: unknown
}

/** Our own limit: Meta's message ids have fewer than 100 characters. */
const LONGEST_ID = 512

const acceptance = z.object({
  messages: z.tuple(
    [z.object({ id: z.string().min(1).max(LONGEST_ID), message_status: z.string().optional() })],
    z.unknown(),
  ),
})

const TEMPLATES_A_PAGE = 200
const NUMBERS_A_PAGE = 100

export type GraphClient = ReturnType<typeof createGraphClient>

/** @param version of the Graph API, such as `v26.0` */
export function createGraphClient(http: GraphHttp, version: string) {
  const { exchange, get, post, all } = createGraphCalls(http, version)

  async function extrasOf(account: Account): Promise<NumberExtras> {
    const outcome = await withoutWithdrawn(NUMBER_EXTRAS, (fields) =>
      get(account, numberExtras, [account.phoneNumberId], { fields }),
    )
    return outcome.kind === 'answered' ? outcome.data : NO_EXTRAS
  }

  return {
    async send(account: Account, message: TemplateMessage): Promise<GraphOutcome<Acceptance>> {
      const sent = await exchange(acceptance, {
        method: 'POST',
        segments: [account.phoneNumberId, isForMarketingApi(message) ? 'marketing_messages' : 'messages'],
        body: message,
        token: account.accessToken,
      })
      if (isOfGateway(sent)) return { kind: 'unknown', reason: 'unreadable' }
      return mapData(sent, ({ value, json }) => ({
        providerMessageId: value.messages[0].id,
        messageStatus: value.messages[0].message_status ?? null,
        body: json,
      }))
    },

    /** Reads all templates, or with `name` all languages of one. Null: Kurir cannot read it. */
    templates: (account: Account, name?: string): Promise<GraphOutcome<(Template | null)[]>> =>
      withoutWithdrawn(TEMPLATE_FIELDS, (fields) =>
        all(account, listedTemplate, [account.wabaId, 'message_templates'], {
          fields,
          limit: String(TEMPLATES_A_PAGE),
          ...(name === undefined ? {} : { name }),
        }),
      ),

    /**
     * Reads Meta's facts about the number. Fields that this version of the Graph API does not know
     * are null.
     */
    async numberHealth(account: Account): Promise<GraphOutcome<NumberHealth>> {
      const [core, extras] = await Promise.all([
        withoutWithdrawn(NUMBER_FIELDS, (fields) => get(account, numberCore, [account.phoneNumberId], { fields })),
        extrasOf(account),
      ])
      return mapData(core, (data) => ({ ...data, ...extras }))
    },

    /** Reads the ids of all numbers of the account. */
    async numbers(account: Account): Promise<GraphOutcome<string[]>> {
      const query = { fields: 'id', limit: String(NUMBERS_A_PAGE) }
      const outcome = await all(account, z.object({ id: z.string() }), [account.wabaId, 'phone_numbers'], query)
      return mapData(outcome, (rows) => rows.map(({ id }) => id))
    },

    // The address of this call holds the token and must not be logged.
    async tokenInfo(account: Account): Promise<GraphOutcome<TokenInfo>> {
      const { accessToken } = account
      const outcome = await get(account, tokenAnswer, ['debug_token'], { input_token: accessToken })
      return mapData(outcome, (info) => ({
        ...info,
        reason: info.reason === null ? null : withoutToken(info.reason, accessToken),
      }))
    },

    /** Resolves with true if the app secret belongs to the app. Only Meta knows. */
    async appSecretFits({ accessToken }: Account, app: AppCredentials): Promise<GraphOutcome<boolean>> {
      const outcome = await get({ accessToken: appToken(app) }, tokenAnswer, ['debug_token'], {
        input_token: accessToken,
      })
      if (outcome.kind === 'refused' && outcome.error.code === 190) return { kind: 'answered', data: false }
      return mapData(outcome, () => true)
    },

    /** Reads the ids of the apps that get this account's webhooks. */
    subscribedApps: (account: Account): Promise<GraphOutcome<string[]>> =>
      get(account, subscribedApps, [account.wabaId, 'subscribed_apps']),

    /** Subscribes the app to the account. Removes the callback address of the account alone. */
    subscribe: ({ accessToken, wabaId }: Account): Promise<GraphOutcome<true>> =>
      post(accessToken, [wabaId, 'subscribed_apps']),

    /** Removes the callback address of this number alone. */
    clearNumberCallback: ({ accessToken, phoneNumberId }: Account): Promise<GraphOutcome<true>> =>
      post(accessToken, [phoneNumberId], { webhook_configuration: { override_callback_uri: '' } }),

    /** Sets the app's callback address and the webhook fields that go there. */
    setAppCallback: (
      app: AppCredentials,
      { url, verifyToken }: CallbackAddress,
      fields: readonly string[],
    ): Promise<GraphOutcome<true>> =>
      post(appToken(app), [app.appId, 'subscriptions'], {
        object: 'whatsapp_business_account',
        callback_url: url,
        verify_token: verifyToken,
        fields: fields.join(),
      }),

    /** Registers the number with the Cloud API. @param pin six digits for two-step verification */
    register: ({ accessToken, phoneNumberId }: Account, pin: string): Promise<GraphOutcome<true>> =>
      post(accessToken, [phoneNumberId, 'register'], { messaging_product: 'whatsapp', pin }),

    /** Reads Meta's history of one message, oldest event first; empty if Meta keeps none. */
    async messageHistory(account: Account, providerMessageId: string): Promise<GraphOutcome<HistoryEvent[]>> {
      const outcome = await withoutWithdrawn(HISTORY_FIELDS, (fields) =>
        get(account, historyAnswer, [account.phoneNumberId, 'message_history'], {
          fields,
          message_id: providerMessageId,
        }),
      )
      // Meta's answer for a message without a history, according to its OpenAPI description.
      const forgotten = outcome.kind === 'refused' && outcome.error.code === 100 && outcome.error.http_status === 422
      return forgotten ? { kind: 'answered', data: [] } : outcome
    },
  }
}

/**
 * Asks again without each optional field that Meta withdrew or renamed, because Meta refuses the
 * whole call for one unknown field.
 */
async function withoutWithdrawn<T>(
  { needed, more }: Fields,
  ask: (fields: string) => Promise<GraphOutcome<T>>,
): Promise<GraphOutcome<T>> {
  const outcome = await ask([...needed, ...more].join())
  const gone = outcome.kind === 'refused' ? nonexistingField(outcome.error) : null
  if (gone === null || !more.includes(gone)) return outcome
  return withoutWithdrawn({ needed, more: more.filter((field) => field !== gone) }, ask)
}

/**
 * True for a 5xx answer without an error of Meta. A gateway in front of Meta answers so when it
 * stops waiting (RFC 9110, 15.6), and Meta may have the request already.
 */
const isOfGateway = (outcome: GraphOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && outcome.error.code === null && (outcome.error.http_status ?? 0) >= 500

const appToken = ({ appId, appSecret }: AppCredentials): string => `${appId}|${appSecret}`

const WARN_BEFORE_END = 60 * DAY

/**
 * Release dates of the versions of the Graph API. A version ends two years after the release of the
 * next one (Meta, "Platform Versioning"). Meta then answers its calls with the oldest version left,
 * whose answers may differ.
 */
const RELEASES: readonly (readonly [version: string, released: string])[] = [
  ['v21.0', '2024-10-02'],
  ['v22.0', '2025-01-21'],
  ['v23.0', '2025-05-29'],
  ['v24.0', '2025-10-08'],
  ['v25.0', '2026-02-18'],
  ['v26.0', '2026-07-29'],
]

interface VersionEnd {
  version: string
  /** Milliseconds since 1970. */
  endsAt: number
}

/**
 * Returns the end of a version; null if it is not announced, as for the newest version and for
 * versions that are newer than this table.
 */
export function versionEnd(version: string): VersionEnd | null {
  const next = RELEASES.find(([later]) => majorOf(later) > majorOf(version))
  if (next === undefined) return null
  const end = new Date(`${next[1]}T00:00:00Z`)
  end.setUTCFullYear(end.getUTCFullYear() + 2)
  return { version, endsAt: end.getTime() }
}

/** Returns the end of a version if it is near enough to warn the owner; else null. */
export function endingVersion(version: string, now: number): VersionEnd | null {
  const end = versionEnd(version)
  return end !== null && end.endsAt - now < WARN_BEFORE_END ? end : null
}

const majorOf = (version: string): number => Number(/^v(\d+)/.exec(version)?.[1])
