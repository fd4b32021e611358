import { z } from 'zod'

const query = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'is no name of a region')
    .optional(),
  endpoint: z
    .url({ protocol: /^https?$/, error: 'must look like https://files.example:9000' })
    .refine((url) => !/[?#@]/.test(url), 'must be an address without a key or a query')
    .optional(),
})

/**
 * `s3://bucket/prefix?region=…&endpoint=…`: a region for Amazon, an endpoint for others, which may
 * have regions as well.
 */
export const bucketUrl = z
  .url({ protocol: /^s3$/, error: 'must look like s3://bucket/prefix?region=eu-central-1' })
  .transform((text) => new URL(text))
  .refine(({ username, password }) => username === '' && password === '', {
    error: 'holds a key: give it as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    abort: true,
  })
  .transform(({ hostname, pathname, searchParams }) => ({
    bucket: hostname,
    prefix: pathname.replace(/^\/|\/$/g, ''),
    query: Object.fromEntries(searchParams) as z.input<typeof query>,
  }))
  .pipe(
    z.object({
      bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket'),
      // Letters that need no encoding are signed the same way by everybody.
      prefix: z
        .string()
        .max(200)
        .regex(/^([\w-][\w.-]*(\/[\w-][\w.-]*)*)?$/, 'may have letters, digits, dots, dashes and single slashes'),
      query,
    }),
  )
  .refine(({ query: { region, endpoint } }) => region !== undefined || endpoint !== undefined, {
    error: 'needs ?region=eu-central-1 for Amazon, or ?endpoint=https://files.example for others',
  })
  // Amazon's certificate covers one name before its own.
  .refine(({ bucket, query: { endpoint } }) => endpoint !== undefined || !bucket.includes('.'), {
    error: 'names a bucket with a dot, which needs &endpoint=https://s3.eu-central-1.amazonaws.com, of its region',
  })
  .transform(({ bucket, prefix, query: { region, endpoint } }) => ({
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    // As those answer to that have none.
    region: region ?? 'us-east-1',
    endpoint,
  }))
