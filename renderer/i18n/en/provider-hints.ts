import { PROVIDER_HINTS, type ProviderHint } from '../../../server/contract/provider-hints.ts'

/** What to do about a refusal by Meta, by the `hint_code` of a failure, an error or a check: the same sentences as in the API. */
export const providerHints: Record<ProviderHint, string> = PROVIDER_HINTS
