import { isOneOf } from '../../../http/outline.ts'
import type { Mouth } from '../sending.ts'
import { panelRoutes } from './routes.ts'

const PANEL = 'zymzz-id/MPWA, routes/api.php'
const BOTH = ['GET', 'POST']

/** Programs that were written for a panel, which resellers run under many names. */
export const panel: Mouth = {
  name: 'MPWA',
  mouth: { switch: 'compat_panel', path: '/compat/panel/send-message' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: BOTH, path: /^\/compat\/panel\// },
    {
      // With and without /api, and behind a language.
      source: PANEL,
      methods: BOTH,
      path: /^(\/[a-z]{2})?(\/api)?\/send-(message|media)\/?$/,
      members: ['number', ['api_key', 'sender', 'device', 'token']],
    },
    { source: PANEL, methods: BOTH, path: /^(\/api)?\/info-devices\/?$/, members: ['api_key'] },
    {
      source: `${PANEL}, with only the host changed`,
      methods: BOTH,
      path: /^\/send\/?$/,
      members: ['api_key', 'number'],
    },
  ]),
  routes: panelRoutes,
}
