import type { CheckFinding, SenderCheck } from '../../contract/official-senders.ts'

/** Checks of an official number, by name. */
export const checks = {
  token: 'Access token',
  permissions: 'Permissions',
  app_secret: 'App secret',
  number: 'Number',
  templates: 'Templates',
  subscription: 'Subscription',
  public_address: 'Public address',
  statuses: 'Status reports',
} as const satisfies Record<SenderCheck['name'], string>

/** Consequences of a check that fails. */
export const risks = {
  token: 'Nothing can be sent without a valid token.',
  permissions: 'Meta may refuse to send, or to show the templates.',
  app_secret: 'Messages leave, but Kurir refuses what Meta reports about them.',
  number: 'Messages from this number may be refused.',
  templates: 'Invoices, reminders and everything else that is no answer cannot be sent.',
  subscription: 'Messages leave, but Kurir does not learn whether they arrive.',
  public_address: 'Messages leave, but Kurir does not learn whether they arrive.',
  statuses: 'Messages leave, but Kurir does not learn whether they arrive.',
} as const satisfies Record<SenderCheck['name'], string>

/** Findings of these checks. */
export const findings = {
  token_forever: 'The access token is valid and does not expire.',
  token_until: 'The access token is valid until {at}.',
  token_invalid: 'The access token is not valid.',
  permissions_complete: 'The token has both permissions that are needed.',
  permissions_missing: 'The token lacks {missing}.',
  permissions_none: 'The token lacks {first} and {second}.',
  permissions_unknown: 'The permissions of the token are not known.',
  secret_right: 'The app secret is that of the app.',
  secret_wrong: 'The app secret is not that of the app, so Meta’s callbacks are refused.',
  secret_unknown: 'The app secret could not be checked without the token.',
  number_unknown: 'Meta knows no number with this phone number ID.',
  number_empty: 'Meta’s answer says nothing about a number.',
  number:
    '{number} ({name}): status {status}, quality {quality}[, display name {display_name}][, limit {limit} people in 24 hours, shared by all numbers of your business][, throughput {throughput}].',
  number_unlimited:
    '{number} ({name}): status {status}, quality {quality}[, display name {display_name}], no limit on how many people you write to first[, throughput {throughput}].',
  number_elsewhere: '{number} ({name}) does not belong to the account with this WABA ID.',
  number_unregistered: '{number} ({name}) is not registered.',
  templates_some: '{approved} of {all} templates can be sent.',
  templates_none: 'No template is approved.',
  subscribed: 'Meta sends this account’s callbacks to your app.',
  subscribed_now: 'Your app did not get this account’s callbacks; Kurir subscribed it just now.',
  address_none: 'Meta has no address to call, so statuses cannot arrive.',
  address_elsewhere: '{url} does not lead to this PC.',
  address_not_entered: '{url} leads to this PC, but is not entered at Meta.',
  address_other: 'Meta calls {used}, not {url}.',
  address_right: '{url} leads to this PC.',
  address_used: '{url} leads to this PC, and Meta calls it.',
  status_came: 'Meta last reported a status at {at}.',
  status_never: 'Meta has not reported any status yet.',
  // The exact words of Meta or the network say it.
  meta_refused: '',
  meta_away: '',
} as const satisfies Record<CheckFinding, string>
