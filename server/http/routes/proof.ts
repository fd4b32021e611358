import { proofAnswer, proofQuery } from '../../contract/proof.ts'
import { GREETING_PATH, type Prover } from '../../lib/proof.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const proofRoutes = ({ greet }: Prover): Route[] => [
  defineRoute({
    method: 'GET',
    path: GREETING_PATH,
    auth: 'none',
    tag: 'Sessions',
    summary: 'Prove which Kurir answers here',
    description: 'For the command line and other nodes, before they send anything. The owner token is never sent.',
    query: proofQuery,
    answer: proofAnswer,
    handler: ({ query }) => ok('Proof.', greet(query.nonce)),
  }),
]
