import { isOneOf } from '../../../http/outline.ts'
import type { Mouth } from '../mouth.ts'
import { fonnteFormat } from './callbacks.ts'
import { fonnteRoutes } from './routes.ts'

const DOCS = 'docs.fonnte.com, API Send Message'
const POST = ['POST']

/** The mouth for programs written for Fonnte. Fonnte's /send has the same path as Kurir's own. */
export const fonnte: Mouth = {
  name: 'Fonnte',
  mouth: { switch: 'compat_fonnte', path: '/compat/fonnte/send' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: ['GET', 'POST'], path: /^\/compat\/fonnte\// },
    { source: DOCS, methods: POST, path: /^\/send\/?$/, members: ['target'] },
    { source: `${DOCS} (bulk)`, methods: POST, path: /^\/send\/?$/, members: ['data'], key: ['bare'] },
    {
      source: 'docs.fonnte.com, API Send Message by URL (GET)',
      methods: ['GET'],
      path: /^\/send\/?$/,
      members: ['target', 'token'],
    },
    {
      source: 'docs.fonnte.com, API Validate',
      methods: ['GET', 'POST'],
      path: /^\/validate\/?$/,
      members: ['target'],
    },
    {
      source: 'docs.fonnte.com, Device API, Get Devices, Get WhatsApp Group',
      methods: POST,
      path: /^\/(device|get-devices|fetch-group|get-whatsapp-group)\/?$/,
      key: ['bare', 'bearer'],
    },
    {
      source: 'docs.fonnte.com, API Status, Delete Message, Reschedule',
      methods: POST,
      path: /^\/(status|delete-message|reset-message)\/?$/,
      members: ['id'],
      key: ['bare', 'bearer'],
    },
  ]),
  routes: fonnteRoutes,
  callbacks: { name: 'fonnte', format: () => fonnteFormat },
}
