import { type Dispatcher, request } from 'undici'
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts'
import { describeNetworkError, shortened } from '../../lib/net-errors.ts'
import { type AddressPolicy, openConnection, type Resolve } from '../../lib/net-guard.ts'
import { readStart } from '../../lib/read-body.ts'
import { startDeadline } from '../../lib/sleep.ts'
import { callbackErrorOf } from '../../webhooks/attempt.ts'
import type { AlarmFailure, AlarmKind, AlarmSettings } from './contract.ts'
import type { AlarmText } from './text.ts'

const WITHIN = 20 * SECOND
// A mail server may look up the client's name before it answers each command.
const MAIL_WITHIN = 2 * MINUTE
// Limit of everything the mail server sends: a dozen reply lines and its TLS certificates.
const MAIL_BYTES = 64 * 1024
// Bytes of an HTTP error body that are read for the error message.
const ANSWER_BYTES = 2048

export interface AlarmMessages {
  isSender(code: string): boolean
  /**
   * Queues a text through a sender and resolves with its `seq`.
   * @throws Error whose message is a sentence
   */
  queue(code: string, phone: string, text: string): Promise<number>
  hasFailed(seq: number): Promise<boolean>
}

export type AlarmChannels = ReturnType<typeof createAlarmChannels>

/**
 * Creates the function that sends an alarm through one channel.
 * @param dispatcher must be guarded by the same `policy`
 */
export function createAlarmChannels(
  policy: AddressPolicy,
  resolve: Resolve,
  dispatcher: Dispatcher,
  messages: AlarmMessages,
  clock: Clock,
) {
  /**
   * Sends by SMTP (RFC 5321). As for callbacks, the host is resolved once and only a checked
   * address is dialled.
   */
  async function email(
    to: NonNullable<AlarmSettings['email']>,
    { title, body }: AlarmText,
    signal: AbortSignal,
  ): Promise<void> {
    // Imported on demand: nodemailer costs two megabytes that most installations never need.
    const { createTransport } = await import('nodemailer')
    const connection = await openConnection({
      ...{ host: to.host, port: to.port, policy, resolve },
      mostBytes: MAIL_BYTES,
    })
    // The connection may break before nodemailer attaches its own error listener.
    connection.on('error', () => undefined)
    const transport = createTransport({
      host: to.host,
      port: to.port,
      getSocket: (_options, done) => done(null, { connection }),
      secure: to.security === 'tls',
      requireTLS: to.security === 'starttls',
      ignoreTLS: to.security === 'none',
      tls: { servername: to.host },
      ...(to.user === null ? {} : { auth: { user: to.user, pass: to.password ?? '' } }),
      greetingTimeout: WITHIN,
      socketTimeout: WITHIN,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const late = startDeadline(clock, MAIL_WITHIN)
    const ending = AbortSignal.any([late.signal, signal])
    const giveUp = () => connection.destroy(ending.reason)
    ending.addEventListener('abort', giveUp, { once: true })
    if (ending.aborted) giveUp()
    try {
      await transport.sendMail({ from: to.from, to: to.to, subject: title, text: body })
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error
    } finally {
      late.cancel()
      ending.removeEventListener('abort', giveUp)
      transport.close()
    }
  }

  async function post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<void> {
    const late = startDeadline(clock, WITHIN)
    try {
      const ending = AbortSignal.any([late.signal, signal])
      const answer = await request(url, { dispatcher, method: 'POST', headers, body, signal: ending })
      const start = await readStart(answer.body, ANSWER_BYTES)
      const said = new TextDecoder().decode(start.subarray(0, ANSWER_BYTES), { stream: true })
      if (answer.statusCode >= 300) {
        throw new NotTaken({
          error: `answered HTTP ${answer.statusCode}: ${said}`,
          ...{ error_code: 'answered', status: answer.statusCode, said },
        })
      }
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error
    } finally {
      late.cancel()
    }
  }

  const telegram = (
    { token, chat_id, api_url }: NonNullable<AlarmSettings['telegram']>,
    { title, body }: AlarmText,
    signal: AbortSignal,
  ) =>
    post(
      `${api_url.replace(/\/$/, '')}/bot${token}/sendMessage`,
      { 'content-type': 'application/json' },
      JSON.stringify({ chat_id, text: `${title}\n\n${body}` }),
      signal,
    )

  /**
   * HTTP headers are ASCII; ntfy accepts other characters in the title as RFC 2047 encodes them.
   */
  const ntfy = ({ url, token }: NonNullable<AlarmSettings['ntfy']>, { title, body }: AlarmText, signal: AbortSignal) =>
    post(
      url,
      {
        'content-type': 'text/plain; charset=utf-8',
        title: `=?UTF-8?B?${Buffer.from(title).toString('base64')}?=`,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      signal,
    )

  /**
   * Resolves with the `seq` of a message that was only queued, or undefined if the channel's server
   * accepted the alarm.
   * @param signal aborts the call
   * @throws Error whose message is a sentence without any secret
   */
  async function send(
    kind: AlarmKind,
    settings: AlarmSettings,
    text: AlarmText,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    try {
      if (kind === 'email' && settings.email !== null) await email(settings.email, text, signal)
      if (kind === 'telegram' && settings.telegram !== null) await telegram(settings.telegram, text, signal)
      if (kind === 'ntfy' && settings.ntfy !== null) await ntfy(settings.ntfy, text, signal)
      if (kind === 'whatsapp' && settings.whatsapp !== null) {
        const { sender_code, phone } = settings.whatsapp
        return await messages.queue(sender_code, phone, `*${text.title}*\n${text.body}`)
      }
      return undefined
    } catch (error) {
      throw new NotTaken(withoutSecrets(failureOf(error), settings))
    }
  }

  return { send, isSender: messages.isSender, hasFailed: messages.hasFailed }
}

/** An alarm that its channel did not take. */
export class NotTaken extends Error {
  readonly failure: AlarmFailure

  constructor(failure: AlarmFailure) {
    super(failure.error)
    this.failure = failure
  }
}

/** Why an alarm was not taken, as a sentence and in parts. */
export function failureOf(error: unknown): AlarmFailure {
  if (error instanceof NotTaken) return error.failure
  const parts = { error_code: callbackErrorOf(error), status: null, said: null }
  const failure = { error: describeNetworkError(error), ...parts }
  const isLogin = error instanceof Error && 'code' in error && error.code === 'EAUTH'
  return isLogin ? { ...failure, error_code: 'login_refused', said: shortened(error.message) } : failure
}

/** Removes secrets from the words of a server, which may repeat them. */
function withoutSecrets(failure: AlarmFailure, { email, telegram, ntfy }: AlarmSettings): AlarmFailure {
  const secrets = [email?.password, telegram?.token, ntfy?.token].filter((one) => typeof one === 'string' && one !== '')
  const clean = (text: string) => secrets.reduce<string>((rest, secret) => rest.replaceAll(secret ?? '', '…'), text)
  return { ...failure, error: clean(failure.error), said: failure.said && clean(failure.said) }
}
