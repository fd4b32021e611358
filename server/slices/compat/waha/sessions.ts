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

/** Senders as WAHA's sessions: read here, changed in Kurir's window alone. */
export function sessionRoutes({ isOn, messaging }: MouthContext): Route[] {
  const { senders } = messaging.store
  const common = commonOf(isOn)
  const startsNothing = 'Starts nothing: Kurir keeps its senders connected by itself. `status` says how this one is.'
  const refusesChange = (method: 'POST' | 'PUT', path: string, params?: typeof wahaSessionParams): Route =>
    defineRoute({
      ...common,
      method,
      path: `${API}/${path}`,
      summary: 'Refuses to add, change or stop a sender',
      description: "All of it is done in Kurir's window, and webhooks are added there.",
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
      summary: 'The senders of the key, as WAHA describes sessions',
      description: 'A session is named by the code of its sender.',
      answer: wahaSessions,
      handler: ({ caller }) => sessionsOf(senders, caller),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/sessions/{session}`,
      summary: 'One sender, as WAHA describes a session',
      description: '`default` is the only linked sender, or that of the key.',
      params: wahaSessionParams,
      answer: wahaSession,
      handler: ({ params: { session }, caller }) => sessionView(senders, caller, senderOf(senders, caller, session)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${API}/sessions/{session}/me`,
      summary: 'The number of a sender, as WAHA describes an account',
      description: 'Its number and name; `null` where it was never linked.',
      params: wahaSessionParams,
      answer: wahaMe,
      handler: ({ params: { session }, caller }) => meOf(senderOf(senders, caller, session)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      status: 201,
      path: `${API}/sessions/{session}/start`,
      summary: 'One sender, as WAHA answers where a session is started',
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
      summary: 'The same, as older programs for WAHA ask for it',
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
      summary: 'Refuses to stop, restart or unlink a sender',
      description: "All of it is done in Kurir's window.",
      params: wahaSessionActionParams,
      answer: wahaFailure,
      handler: ({ params: { session, action }, caller }) => {
        senderOf(senders, caller, session)
        throw cannot(action, "senders are stopped, linked and unlinked in Kurir's window")
      },
    }),
  ]
}
