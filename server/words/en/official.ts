import type { ProviderHint } from '../../contract/failures.ts'
import type { CheckFinding, SenderCheck } from '../../contract/official-senders.ts'

/** Names of the checks of an official number. */
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

/** Consequences of a failed check. */
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
  templates_some: '{approved} of {all} templates can be sent.[ Kurir cannot read {unreadable} more of Meta’s list.]',
  templates_none: 'No template is approved.[ Kurir cannot read {unreadable} of Meta’s list.]',
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
  // Empty, because the exact words of Meta or the network error follow.
  meta_refused: '',
  meta_away: '',
} as const satisfies Record<CheckFinding, string>

/** Advice about a refusal by Meta or a failed check of an official sender. */
export const hints = {
  // Access
  new_token: 'Create a new access token for the system user in Meta Business Settings and save it in this sender.',
  token_expires:
    'Create a new access token for the system user in Meta Business Settings, choose that it never expires, and save it in this sender.',
  permissions:
    'Give the system user the permissions whatsapp_business_messaging and whatsapp_business_management for this account, create a new access token and save it in this sender.',
  wrong_app_secret:
    'Copy the app secret from the app dashboard at Meta (App settings, Basic) of the app that the access token belongs to, and save it in this sender.',
  wrong_ids:
    'Compare the phone number ID and the WhatsApp Business Account ID with those in the app dashboard (API Setup); they are IDs, not the phone number. If they are right, assign the account to the system user of the access token in Meta Business Settings.',
  // Limits
  limit_calls: 'Meta counts the calls of this app and account by the hour. Wait as long as the answer says.',
  limit_number: 'The number reached its messages per second. Wait as long as the answer says, then send more slowly.',
  limit_recipient:
    'Too many messages went to this one person. Wait as long as the answer says before the next one to them.',
  limit_flow: 'Meta slowed the flow of this template down to 10 messages an hour. Wait, or use another template.',
  // Meta
  meta_unwell: 'Meta has a problem or is under maintenance. Send again in a few minutes.',
  meta_unclear:
    'Meta reports either a fault of its own or a request that it cannot read. Send again once, after a few minutes; if Meta refuses again, compare the request with the template.',
  unreachable: 'Check the internet connection of this PC and try again.',
  unknown: 'Meta explains the code on its page of error codes for the WhatsApp Business Platform.',
  // The request
  wrong_request: 'Correct the request: the details name the member that is missing or wrong.',
  unexplained:
    'Meta gives no reason. Compare the variables with the template; if they are right, ask Meta’s support and give them the fbtrace_id.',
  own_number: 'A number cannot write to itself. Use another recipient.',
  test_recipient:
    'A test number may only write to the recipients on its list. Add the recipient in the app dashboard (API Setup), or use a real number.',
  message_type: 'This type of message is not supported. Use a template with text, media or buttons.',
  recipient_id_not_allowed: 'This kind of template needs the phone number of the recipient, not a user ID of Meta.',
  undeliverable: 'Check that the number is on WhatsApp, uses a recent version and has accepted the terms of service.',
  identity_changed: 'The recipient changed phones or installed WhatsApp again. Send the message again.',
  message_expired: 'The recipient was not reachable in time. Send the message again if it still matters.',
  media:
    'Meta could not load the media file. Check that its link is public, its type allowed and its size within the limits.',
  // The template
  parameter_count: 'Give exactly as many variables as the template has.',
  parameter_form:
    'The variables do not have the form that the template expects: compare type, order and names with the template.',
  parameter_text: 'Remove line breaks, tabs and runs of five or more spaces from the values of the variables.',
  header_image: 'The header of this template needs an image. Give one in components.',
  header_video: 'The header of this template needs a video. Give one in components.',
  header_document: 'The header of this template needs a document. Give one in components.',
  header_location: 'The header of this template needs a location. Give one in components.',
  text_too_long: 'The text is too long with these variables. Shorten them.',
  template_missing:
    'Check the template name and its language in WhatsApp Manager; a new template needs approval first.',
  template_policy: 'The template breaks a rule of WhatsApp. Change it in WhatsApp Manager and have it approved again.',
  template_quality:
    'Meta paused or disabled this template because of its quality. Change it in WhatsApp Manager or use another one.',
  template_category:
    'Meta stopped this number because utility templates hold marketing content. Correct the category of these templates in WhatsApp Manager.',
  flow_blocked:
    'Meta blocked the flow that this template opens. Correct the flow in WhatsApp Manager, or use another one.',
  no_template: 'Create a template in WhatsApp Manager and wait for its approval.',
  // Recipients and permissions
  opted_out: 'This person does not want marketing messages from you. Never send them this kind again.',
  marketing_cap:
    'This person has had enough marketing messages for now. Do not send again before 24 hours have passed.',
  marketing_off:
    'Marketing templates are switched off for the Cloud API of this account. Switch them on in WhatsApp Manager, or use a utility template.',
  marketing_api:
    'This template or account cannot use the Marketing Messages API. Accept its terms in WhatsApp Manager, or leave out product_policy and message_activity_sharing.',
  experiment: 'Meta keeps this person from marketing messages for an experiment. Sending again does not help.',
  window:
    'This message may only be sent within 24 hours after the person wrote. Use a template that is approved for it.',
  country: 'This account may not write to people in that country.',
  direct_send: 'Meta does not let this account send without a template. Use an approved template.',
  // The number and the account
  account_blocked:
    'Meta restricted or locked the business account. Open Business Support Home at Meta. Until this is solved nothing that is sent through this number will arrive.',
  spam: 'Too many people blocked or reported this number. Write less and only to people who expect it; look at the quality rating in WhatsApp Manager.',
  display_name:
    'The display name of the number needs approval in WhatsApp Manager. Until then nothing that is sent through this number will arrive.',
  payment:
    'Meta could not bill this account. In WhatsApp Manager, under billing, check the payment method or credit line, the currency and the time zone.',
  payments_terms: 'Accept the terms of WhatsApp Payments in WhatsApp Manager before sending this kind of template.',
  not_registered:
    'Register the number with its 6-digit PIN, here in Kurir (not WhatsApp Manager, which cannot do it); the guide to official numbers shows how.',
  registration: 'Meta reports a problem with the registration of this number: the details say which.',
  pin_wrong:
    'The PIN is not that of this number. Change it in WhatsApp Manager (two-step verification), then register again.',
  pin_locked:
    'The PIN was entered wrongly too often. Wait as long as the details say, then register with the right one.',
  register_later:
    'Too many tries to register this number. Wait before the next one; after ten tries Meta asks for 72 hours.',
  verify_again: 'Confirm the number again by SMS or call in WhatsApp Manager, then register it.',
  deregister_first:
    'An earlier try to take this number off the Cloud API did not end. Deregister it again, then register it.',
  number_blocked: 'Open the number in WhatsApp Manager: it says there why it cannot send.',
  number_quality: 'Write less, and only to people who expect it, until the quality recovers.',
  name_declined: 'Choose another display name in WhatsApp Manager; the present one was declined or has expired.',
  // Callbacks
  no_public_address:
    'Set up a tunnel to the webhook port and enter its address in Settings (see the guide to official numbers).',
  tunnel: 'Start the tunnel and compare its target with the webhook address in Settings.',
  callback_elsewhere:
    'In the app dashboard enter the callback address of this PC, or remove the other address that was set for this number or account.',
  no_status_yet:
    'In the app dashboard under Use cases, Customize, Configuration, enter the callback address and the verify token, subscribe to "messages" and "message_template_status_update", publish the app, then send a template.',
  check_again: 'Kurir checks this again when you save, and once a day.',
} as const satisfies Record<ProviderHint, string>
