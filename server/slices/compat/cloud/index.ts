import { isOneOf } from '../../../http/outline.ts'
import type { Mouth } from '../sending.ts'
import { cloudFormat } from './callbacks.ts'
import { cloudRoutes } from './routes.ts'

const REFERENCE = 'developers.facebook.com/docs/whatsapp/cloud-api/reference'

/** Programs that were written for Meta's Cloud API. */
export const cloud: Mouth = {
  name: 'Cloud API',
  mouth: { switch: 'compat_cloud', path: '/compat/cloud/v26.0' },
  looksLike: isOneOf([
    { source: 'this mouth, switched off', methods: ['GET', 'POST'], path: /^\/compat\/cloud\// },
    {
      source: `${REFERENCE}/messages, media`,
      methods: ['POST'],
      path: /^\/v\d{1,3}\.\d{1,2}\/[^/]+\/(messages|media)\/?$/,
      key: ['bearer', 'member access_token', 'member messaging_product'],
    },
    {
      source: `${REFERENCE}/phone-numbers`,
      methods: ['GET'],
      path: /^\/v\d{1,3}\.\d{1,2}\/[^/]+\/?$/,
      key: ['bearer', 'member access_token'],
    },
    {
      source: `${REFERENCE}/messages, without its version or with only the host changed`,
      methods: ['POST'],
      path: /\/(messages|send)\/?$/,
      members: ['messaging_product', 'to'],
    },
  ]),
  routes: cloudRoutes,
  callbacks: { name: 'cloud_api', format: () => cloudFormat },
}
