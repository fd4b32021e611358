import { defineRoute, type Route } from '../../../http/route.ts'
import type { MouthContext } from '../mouth.ts'
import {
  wahaFailure,
  wahaMe,
  wahaSession,
  wahaSessionActionParams,
  wahaSessionParams,
  wahaSessions,
  wahaStartRequest,
} from './contract.ts'
import { API, cannot, commonOf, isEmpty, meOf, senderOf, sessionsOf, sessionView } from './terms.ts'

/** Routes that show senders as WAHA's sessions. Only Kurir's window changes senders. */
export function sessionRoutes({ isOn, messaging }: MouthContext): Route[] {
  const { senders } = messaging.store
  const common = commonOf(isOn)
  const startsNothing =
    'Starts nothing, because Kurir keeps its senders connected by itself. `status` is the state of the sender.'
  const refusesChange = (method: 'POST' | 'PUT', path: string, params?: typeof wahaSessionParams): Route =>
    defineRoute({
      ...common,
      method,
      path: `${API}/${path}`,
      summary: 'Refuse to add, change or stop a session (WAHA)',
      description: "Senders and webhook endpoints are managed in Kurir's window.",
      params,
      answer: wahaFailure,
      handler: () => {
        throw cannot('sessions', "senders are added, changed and stopped, and webhooks added, in Kurir's window")
      },
    })

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/sessions`,
      summary: 'List the senders of the API key (WAHA format)',
      description:
        "Each sender is a session of WAHA. Its name is the sender's code, or `default` for the sender of a device key and for the only linked sender.",
      answer: wahaSessions,
      handler: ({ caller }) => sessionsOf(senders, caller),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/sessions/{session}`,
      summary: 'Get a sender (WAHA format)',
      description:
        'The sender is named by its code; `default` is the sender of a device key, or the only linked sender.',
      params: wahaSessionParams,
      answer: wahaSession,
      handler: ({ params: { session }, caller }) => sessionView(senders, caller, senderOf(senders, caller, session)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/sessions/{session}/me`,
      summary: 'Get the phone number of a sender (WAHA format)',
      description: 'Returns the phone number and name of the sender; `null` if no number was ever linked.',
      params: wahaSessionParams,
      answer: wahaMe,
      handler: ({ params: { session }, caller }) => meOf(senderOf(senders, caller, session)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      status: 201,
      path: `${API}/sessions/{session}/start`,
      summary: 'Start a session (WAHA format)',
      description: startsNothing,
      params: wahaSessionParams,
      answer: wahaSession,
      handler: ({ params: { session }, caller }) => sessionView(senders, caller, senderOf(senders, caller, session)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      status: 201,
      path: `${API}/sessions/start`,
      summary: 'Start a session, old route (WAHA format)',
      description: startsNothing,
      body: wahaStartRequest,
      answer: wahaSession,
      handler: ({ body: { name, config }, caller }) => {
        if (!isEmpty(config?.webhooks))
          throw cannot('config.webhooks', "webhooks are added in Kurir's window, leave them out")
        return sessionView(senders, caller, senderOf(senders, caller, name))
      },
    }),
    refusesChange('POST', 'sessions'),
    refusesChange('POST', 'sessions/{session}', wahaSessionParams),
    refusesChange('PUT', 'sessions/{session}', wahaSessionParams),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${API}/sessions/{session}/{action}`,
      summary: 'Refuse to stop, restart or log out a session (WAHA)',
      description: "Senders are stopped, linked and unlinked in Kurir's window.",
      params: wahaSessionActionParams,
      answer: wahaFailure,
      handler: ({ params: { session, action }, caller }) => {
        senderOf(senders, caller, session)
        throw cannot(action, "senders are stopped, linked and unlinked in Kurir's window")
      },
    }),
  ]
}
