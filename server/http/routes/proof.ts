import { proofAnswer, proofQuery } from '../../contract/proof.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const proofRoutes = (prove: (port: number, nonce: string) => string): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/proof',
    auth: 'none',
    tag: 'Sessions',
    summary: 'Proves to the command line that this is the Kurir of the data folder, before it sends the owner token',
    query: proofQuery,
    answer: proofAnswer,
    handler: ({ query, req }) => ok('Proof.', { proof: prove(req.socket.localPort ?? 0, query.nonce) }),
  }),
]
