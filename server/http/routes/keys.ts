import type { ApiKeys } from '../../access/keys.ts'
import { emptyAnswer } from '../../contract/envelope.ts'
import { idParams } from '../../contract/fields.ts'
import { createKeyRequest, keyCreatedAnswer, keysAnswer } from '../../contract/keys.ts'
import { defineRoute, done, ok, type Route } from '../route.ts'

const owner = { auth: 'owner', tag: 'API keys' } as const

export const keyRoutes = (keys: ApiKeys): Route[] => [
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/keys',
    summary: 'Create an API key',
    description: 'The key is in this answer and never shown again.',
    body: createKeyRequest,
    answer: keyCreatedAnswer,
    handler: async ({ body }) => ok('API key created. It is shown only once.', await keys.create(body)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/keys',
    summary: 'List API keys',
    description: 'With the last use of each, without the keys themselves.',
    answer: keysAnswer,
    handler: () => ok('API keys.', keys.list()),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/keys/{id}',
    summary: 'Revoke an API key',
    description: 'It is refused at once. Messages that it sent stay.',
    params: idParams,
    answer: emptyAnswer,
    handler: ({ params }) => done('API key revoked.', keys.revoke(params.id)),
  }),
]
