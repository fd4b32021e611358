import { numberBody, type TemplateRow, tokenBody } from './answers.ts'

/** State of one app, one account and one number. Tests change it directly. */
export interface PeerState {
  app: {
    id: string
    name: string
    secret: string
    /** Address and fields entered for `whatsapp_business_account`. */
    callback: { url: string; fields: string[] } | null
  }
  account: { id: string; name: string }
  /**
   * The number as `GET /{id}` returns it. It counts as registered while `platform_type` is
   * `CLOUD_API`.
   */
  number: Record<string, unknown>
  /** PIN of two-step verification; null: none is set. */
  pin: string | null
  registerTries: number
  /** Only recipients of a test number; null: a real number. */
  testRecipients: string[] | null
  templates: TemplateRow[]
  /** Answer of `/debug_token` for the access token. Its `scopes` decide what the token may do. */
  tokenInfo: Record<string, unknown>
  subscribedApps: { id: string; name: string }[]
  /** Addresses for `messages` that replace the app's. */
  overrides: { account: string | null; number: string | null }
  /**
   * Local targets of public origins, as behind a tunnel: `https://shop.example` →
   * `http://127.0.0.1:7421`.
   */
  tunnels: Map<string, string>
  /** `message_history` events by message id. */
  history: Map<string, Record<string, unknown>[]>
  /** Fields of numbers and templates that the Graph API has removed or renamed. */
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

/** Template that every new account has. */
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
