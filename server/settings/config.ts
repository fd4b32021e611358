import { homedir, hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { z } from 'zod'
import type { BucketOptions } from '../lib/s3-bucket.ts'

/**
 * The script that caches WhatsApp's web client in the browser, which names the build of the client.
 */
const WHATSAPP_VERSION = 'https://web.whatsapp.com/sw.js'

const host = z.union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an IP address or localhost')
const wholeNumber = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return z.coerce.number(rule).int(rule).min(least, rule).max(most, rule)
}
const port = wholeNumber(0, 65535)

// Bytes. Of 200,000 random tokens of 32 hexadecimal digits, none was compressed to less than 29.
const SHORTEST_RANDOM = 24

/** True if a token repeats one letter or word. A random token cannot be compressed that far. */
const isGuessable = (token: string): boolean => deflateRawSync(token).length < SHORTEST_RANDOM

const bucketQuery = z.strictObject({
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
 * Parses `s3://bucket/prefix?region=…&endpoint=…`. Amazon needs a region, other services an
 * endpoint; they may have regions as well.
 */
const bucketUrl = z
  .url({ protocol: /^s3$/, error: 'must look like s3://bucket/prefix?region=eu-central-1' })
  .transform((text) => new URL(text))
  .refine(({ username, password }) => username === '' && password === '', {
    error: 'holds a key: give it as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    abort: true,
  })
  .transform(({ hostname, pathname, searchParams }) => ({
    bucket: hostname,
    prefix: pathname.replace(/^\/|\/$/g, ''),
    query: Object.fromEntries(searchParams) as z.input<typeof bucketQuery>,
  }))
  .pipe(
    z.object({
      bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket'),
      // Only characters that need no URL encoding, because every service then computes the same
      // signature.
      prefix: z
        .string()
        .max(200)
        .regex(/^([\w-][\w.-]*(\/[\w-][\w.-]*)*)?$/, 'may have letters, digits, dots, dashes and single slashes'),
      query: bucketQuery,
    }),
  )
  .refine(({ query: { region, endpoint } }) => region !== undefined || endpoint !== undefined, {
    error: 'needs ?region=eu-central-1 for Amazon, or ?endpoint=https://files.example for others',
  })
  // Amazon's wildcard certificate covers one label before its own name, so a bucket name with a dot
  // fails.
  .refine(({ bucket, query: { endpoint } }) => endpoint !== undefined || !bucket.includes('.'), {
    error: 'names a bucket with a dot, which needs &endpoint=https://s3.eu-central-1.amazonaws.com, of its region',
  })
  .transform(({ bucket, prefix, query: { region, endpoint } }) => ({
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    // Services without regions accept this one.
    region: region ?? 'us-east-1',
    endpoint,
  }))

/**
 * Environment variables, for headless use and tests. Undefined: not given, so the window may set
 * the value.
 */
const environment = z.object({
  KURIR_HOME: z.string().min(1).optional(),
  KURIR_HOST: host.optional(),
  KURIR_PORT: port.optional(),
  KURIR_WEBHOOK_HOST: host.default('127.0.0.1'),
  KURIR_WEBHOOK_PORT: port.optional(),
  KURIR_OWNER_TOKEN: z
    .string()
    .min(32, 'must have at least 32 characters')
    .refine((token) => !isGuessable(token), 'must be random, as "openssl rand -hex 32" makes it')
    .refine((token) => !token.startsWith('kurir_'), 'must not begin like an API key')
    // Other characters cannot be sent in an HTTP header.
    .regex(/^[!-~]+$/, 'must have no blanks, and no letters beyond a to z')
    .optional(),
  KURIR_DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error:
        'must look like postgresql://user:password@host/database; characters such as # / ? % @ in the password as %23 %2F %3F %25 %40',
    })
    .optional(),
  KURIR_VAULT_KEY_FILE: z.string().min(1).optional(),
  KURIR_NODE: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be a name of letters, digits, dots and dashes')
    .optional(),
  KURIR_NODE_URL: z.url({ protocol: /^https?$/, error: 'must look like http://node-1.example:7420' }).optional(),
  KURIR_FILES_URL: bucketUrl.optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  KURIR_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  KURIR_GRAPH_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://graph.example' })
    .default('https://graph.facebook.com'),
  KURIR_GRAPH_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, 'must look like v26.0')
    .default('v26.0'),
  KURIR_GRAPH_TIMEOUT_MS: wholeNumber(100, 120_000).default(30_000),
  KURIR_WHATSAPP_URL: z.url({ protocol: /^wss?$/, error: 'must look like wss://whatsapp.example/ws' }).optional(),
  KURIR_WHATSAPP_ROOT_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
    .optional(),
  KURIR_WHATSAPP_VERSION_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://whatsapp.example/sw.js' })
    .optional(),
})

export interface ClusterConfig {
  databaseUrl: string
  /** Path of the vault key's file, which is the same on every node. */
  vaultKeyFile: string
  node: string
  /** Address at which the other nodes reach this one; undefined: its name and port. */
  url: string | undefined
  /** Object store for files of messages; undefined: the database holds them. */
  files: BucketOptions | undefined
}

export interface Config {
  /** The data folder. */
  home: string
  host: string | undefined
  port: number | undefined
  webhookHost: string
  webhookPort: number | undefined
  ownerToken: string | undefined
  logLevel: string
  /** Settings of nodes that share a database; undefined: everything is in the data folder. */
  cluster: ClusterConfig | undefined
  graph: { url: string; version: string; timeoutMs: number }
  /**
   * `versionUrl`: address of the current version of WhatsApp's protocol; undefined: the version is
   * not looked up.
   */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined; versionUrl: string | undefined }
}

/** Returns the default data folder, in the place where each system keeps data of programs. */
export function defaultHome(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return join(env.APPDATA || homedir(), 'Kurir')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Kurir')
  return join(xdgFolder(env.XDG_DATA_HOME) ?? join(homedir(), '.local', 'share'), 'kurir')
}

/**
 * Returns `path`, or undefined if it is empty or relative: the XDG Base Directory Specification
 * ignores such paths.
 */
export const xdgFolder = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined

/**
 * Reads the settings from the environment; nothing else reads it. An empty value counts as not
 * given. Unknown `KURIR_…` names are returned as warnings.
 * @throws Error that names every wrong value
 */
export function readConfig(env: NodeJS.ProcessEnv): { config: Config; warnings: string[] } {
  const given = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => (name.startsWith('KURIR_') || name in environment.shape) && value !== '',
    ),
  )
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw wrongSettings(problems.join('; '))
  }
  const unknown = Object.keys(given).filter((name) => !(name in environment.shape))
  const e = parsed.data
  return {
    config: {
      home: e.KURIR_HOME ?? defaultHome(env),
      host: e.KURIR_HOST,
      port: e.KURIR_PORT,
      webhookHost: e.KURIR_WEBHOOK_HOST,
      webhookPort: e.KURIR_WEBHOOK_PORT,
      ownerToken: e.KURIR_OWNER_TOKEN,
      logLevel: e.KURIR_LOG_LEVEL,
      cluster: clusterOf(e),
      graph: {
        url: e.KURIR_GRAPH_URL.replace(/\/$/, ''),
        version: e.KURIR_GRAPH_VERSION,
        timeoutMs: e.KURIR_GRAPH_TIMEOUT_MS,
      },
      whatsapp: {
        url: e.KURIR_WHATSAPP_URL,
        rootKeyHex: e.KURIR_WHATSAPP_ROOT_KEY,
        // A server other than WhatsApp's has versions of its own.
        versionUrl: e.KURIR_WHATSAPP_VERSION_URL ?? (e.KURIR_WHATSAPP_URL === undefined ? WHATSAPP_VERSION : undefined),
      },
    },
    warnings: unknown.map((name) => `${name} is not a setting of Kurir`),
  }
}

const wrongSettings = (problems: string): Error =>
  new Error(`Kurir cannot start, please correct these settings: ${problems}`)

/** @throws Error if only some of the settings are given that nodes need together */
function clusterOf(e: z.infer<typeof environment>): ClusterConfig | undefined {
  const { KURIR_DATABASE_URL: databaseUrl, KURIR_VAULT_KEY_FILE: vaultKeyFile } = e
  const files = filesOf(e)
  if (databaseUrl === undefined) {
    if (files === undefined) return undefined
    throw wrongSettings(
      'KURIR_FILES_URL: is for nodes that share a database; give KURIR_DATABASE_URL as well, or neither',
    )
  }
  if (vaultKeyFile === undefined) {
    throw wrongSettings(
      'KURIR_VAULT_KEY_FILE: is needed with KURIR_DATABASE_URL, a file with 64 hexadecimal digits, the same for every node (openssl rand -hex 32)',
    )
  }
  return { databaseUrl, vaultKeyFile, node: e.KURIR_NODE ?? hostname(), url: e.KURIR_NODE_URL, files }
}

function filesOf(e: z.infer<typeof environment>): BucketOptions | undefined {
  const { KURIR_FILES_URL: place, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = e
  if (place === undefined) return undefined
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw wrongSettings('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: are needed with KURIR_FILES_URL')
  return { ...place, accessKeyId, secretAccessKey, sessionToken: e.AWS_SESSION_TOKEN }
}
