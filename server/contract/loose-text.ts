import { z } from 'zod'

/**
 * A text as programs of other gateways write it: some send a number of JSON. Without an example it
 * is one of those that a call can do without.
 */
export const looseText = (description: string, example?: string) => {
  const text = z.string().max(100_000)
  return z
    .union([example === undefined ? text : text.meta({ examples: [example] }), z.number()])
    .transform(String)
    .describe(description)
}
