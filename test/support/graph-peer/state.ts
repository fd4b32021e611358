import { numberBody, type TemplateRow, tokenBody } from './answers.ts'

/** The peer's knowledge of one app, one account and one number in it; tests assign to it. */
export interface PeerState {
  app: {
    id: string
    name: string
    secret: string
    /** The address and the fields that were entered for `whatsapp_business_account`. */
    callback: { url: string; fields: string[] } | null
  }
  account: { id: string; name: string }
  /**
   * The number as `GET /{id}` knows it. It is registered as long as its `platform_type` is
   * `CLOUD_API`.
   */
  number: Record<string, unknown>
  /** The PIN of two-step verification; `null`: none was set yet. */
  pin: string | null
  registerTries: number
  /** A test number writes to these only; `null`: a real number. */
  testRecipients: string[] | null
  templates: TemplateRow[]
  /**
   * The answer of `/debug_token` about the access token; its `scopes` decide what the token may do.
   */
  tokenInfo: Record<string, unknown>
  subscribedApps: { id: string; name: string }[]
  /** Addresses that take the place of the app's own for `messages`. */
  overrides: { account: string | null; number: string | null }
  /**
   * Targets of public hosts on this machine, as of a tunnel: `https://shop.example` →
   * `http://127.0.0.1:7421`.
   */
  tunnels: Map<string, string>
  /** Events of `message_history` by message id. */
  history: Map<string, Record<string, unknown>[]>
  /**
   * Fields of numbers and templates that the Graph API does not have any more, or under another
   * name.
   */
  withdrawn: string[]
}

export function createState(): PeerState {
  return {
    app: { id: '670000000000001', name: 'Toko Maju', secret: 'app-secret-of-the-shop', callback: null },
    account: { id: '102290129340398', name: 'Toko Maju' },
    number: numberBody('106540352242922'),
    pin: null,
    registerTries: 0,
    testRecipients: null,
    templates: [helloWorld],
    tokenInfo: tokenBody(),
    subscribedApps: [],
    overrides: { account: null, number: null },
    tunnels: new Map(),
    history: new Map(),
    withdrawn: [],
  }
}

/** The template that every new account has. */
export const helloWorld: TemplateRow = {
  id: '1192339204654487',
  name: 'hello_world',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
    { type: 'BODY', text: 'Welcome and congratulations! You can send messages now.' },
    { type: 'FOOTER', text: 'WhatsApp Business Platform sample message' },
  ],
}
