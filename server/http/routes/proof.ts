import { proofAnswer, proofQuery } from '../../contract/proof.ts'
import { GREETING_PATH, type Prover } from '../../lib/proof.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const proofRoutes = ({ greet }: Prover): Route[] => [
  defineRoute({
    method: 'GET',
    path: GREETING_PATH,
    auth: 'none',
    tag: 'Sessions',
    summary: 'Proves to the command line and to other nodes which Kurir answers here, before they send anything',
    query: proofQuery,
    answer: proofAnswer,
    handler: ({ query }) => ok('Proof.', greet(query.nonce)),
  }),
]
