import { isOneOf } from '../../../http/outline.ts'
import type { Mouth } from '../sending.ts'
import { wahaFormat } from './callbacks.ts'
import { wahaRoutes } from './routes.ts'

const SENDING = /^\/api\/(sendText|sendImage|sendFile|sendVideo|sendVoice|sendSeen|startTyping|stopTyping|reply)\/?$/
const DOCS = 'devlikeapro/waha-docs, how-to'
const KEY = ['header x-api-key'] as const

/** Programs that were written for WAHA. Without a key on its side they send none. */
export const waha: Mouth = {
  name: 'WAHA',
  mouth: { switch: 'compat_waha', path: '/compat/waha' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: ['GET', 'POST'], path: /^\/compat\/waha\// },
    { source: `${DOCS}/send-messages`, methods: ['POST'], path: SENDING, members: ['chatId'] },
    { source: `${DOCS}/security`, methods: ['POST'], path: SENDING, key: KEY },
    {
      source: 'devlikeapro/waha 2024.10, chatting.controller.ts (deprecated)',
      methods: ['GET'],
      path: /^\/api\/(sendText|checkNumberStatus)$/,
      members: ['phone', ['text', 'session']],
      key: KEY,
    },
    {
      source: `${DOCS}/sessions, contacts, observability`,
      methods: ['GET'],
      path: /^\/api\/(sessions|contacts\/check-exists|version|server\/version)(\/[^/]+){0,2}\/?$/,
      key: KEY,
    },
    {
      source: `${DOCS}/send-messages, with only the host changed`,
      methods: ['POST'],
      path: /^\/send\/?$/,
      members: ['chatId'],
    },
  ]),
  routes: wahaRoutes,
  callbacks: { name: 'waha', format: wahaFormat },
}
