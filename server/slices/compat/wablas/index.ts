import { isOneOf } from '../../../http/outline.ts'
import type { Mouth } from '../sending.ts'
import { wablasFormat } from './callbacks.ts'
import { wablasRoutes } from './routes.ts'

const DOCS = 'wablas.com/documentation/api'
const KEY = ['bare', 'bearer', 'member token'] as const
const BOTH = ['GET', 'POST']

/** Programs that were written for Wablas. */
export const wablas: Mouth = {
  name: 'Wablas',
  mouth: { switch: 'compat_wablas', path: '/compat/wablas/api/send-message' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: BOTH, path: /^\/compat\/wablas\// },
    { source: DOCS, methods: BOTH, path: /^\/api\/(v2\/)?send-message$/, members: [['phone', 'data']], key: KEY },
    {
      source: DOCS,
      methods: BOTH,
      path: /^\/api\/(v2\/)?send-(image|document|video|audio)(-from-local)?$/,
      members: [['phone', 'data']],
      key: KEY,
    },
    { source: DOCS, methods: ['GET'], path: /^\/api\/device\/info$/, key: KEY },
  ]),
  routes: wablasRoutes,
  callbacks: { name: 'wablas', format: () => wablasFormat },
}
