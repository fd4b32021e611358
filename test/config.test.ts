import { expect, test } from 'vitest'
import { possibleHomes } from '../server/cli/program.ts'
import { readConfig } from '../server/settings/config.ts'

/** As `openssl rand -hex 16` makes it. */
const OWNER_TOKEN = '5f1c0d2b9a7e4836b1d0c94e7fa26385'

test('nothing given is enough', () => {
  const { config, warnings } = readConfig({ HOME: '/home/wati', PATH: '/bin' })
  expect(config).toMatchObject({ host: undefined, port: undefined, webhookHost: '127.0.0.1', ownerToken: undefined })
  expect(config.logLevel).toBe('info')
  expect(config.home).toMatch(/kurir$/i)
  expect(config.graph.url).toBe('https://graph.facebook.com')
  expect(warnings).toEqual([])
})

test('every value is taken over', () => {
  const { config } = readConfig({
    KURIR_HOME: '/data',
    KURIR_HOST: '0.0.0.0',
    KURIR_PORT: '8080',
    KURIR_WEBHOOK_HOST: '::',
    KURIR_WEBHOOK_PORT: '0',
    KURIR_OWNER_TOKEN: OWNER_TOKEN,
    KURIR_LOG_LEVEL: 'debug',
    KURIR_GRAPH_URL: 'http://127.0.0.1:5/',
    KURIR_GRAPH_VERSION: 'v27.0',
    KURIR_GRAPH_TIMEOUT_MS: '500',
    KURIR_WHATSAPP_URL: 'ws://127.0.0.1:6/ws',
    KURIR_WHATSAPP_ROOT_KEY: 'ab'.repeat(32),
  })
  expect(config).toMatchObject({
    home: '/data',
    host: '0.0.0.0',
    port: 8080,
    webhookHost: '::',
    webhookPort: 0,
    ownerToken: OWNER_TOKEN,
    logLevel: 'debug',
    graph: { url: 'http://127.0.0.1:5', version: 'v27.0', timeoutMs: 500 },
    whatsapp: { url: 'ws://127.0.0.1:6/ws', rootKeyHex: 'ab'.repeat(32) },
  })
})

test.each([
  ['KURIR_PORT', '70000'],
  ['KURIR_PORT', 'http'],
  ['KURIR_PORT', '-1'],
  ['KURIR_PORT', '74.20'],
  ['KURIR_WEBHOOK_PORT', ' x'],
  ['KURIR_HOST', 'my-pc'],
  ['KURIR_WEBHOOK_HOST', 'balancer'],
  ['KURIR_OWNER_TOKEN', OWNER_TOKEN.slice(0, 31)],
  ['KURIR_OWNER_TOKEN', `${OWNER_TOKEN}\r`],
  ['KURIR_OWNER_TOKEN', `${OWNER_TOKEN} ${OWNER_TOKEN}`],
  ['KURIR_OWNER_TOKEN', `${OWNER_TOKEN}ü`],
  ['KURIR_OWNER_TOKEN', 'x'.repeat(32)],
  ['KURIR_OWNER_TOKEN', 'changeme'.repeat(8)],
  ['KURIR_OWNER_TOKEN', '0123456789abcdef'.repeat(2)],
  ['KURIR_LOG_LEVEL', 'loud'],
  ['KURIR_GRAPH_URL', 'graph.facebook.com'],
  ['KURIR_GRAPH_URL', 'ftp://graph.example'],
  ['KURIR_GRAPH_VERSION', '26'],
  ['KURIR_GRAPH_TIMEOUT_MS', '0'],
  ['KURIR_WHATSAPP_URL', 'https://web.whatsapp.com'],
  ['KURIR_WHATSAPP_ROOT_KEY', 'abc'],
])('%s=%s stops the start and is named', (name, value) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(new RegExp(`cannot start.*${name}: `))
  expect(read, 'says what it must be').not.toThrow(/: Invalid (input|URL)|NaN/)
})

test('all wrong values are named at once, without showing a token', () => {
  const read = () => readConfig({ KURIR_PORT: 'x', KURIR_HOST: 'y', KURIR_OWNER_TOKEN: 'hunter2' })
  expect(read).toThrow(/KURIR_HOST: .*KURIR_PORT: .*KURIR_OWNER_TOKEN: /)
  expect(read).not.toThrow(/hunter2/)
})

test('an unknown name of ours is a warning, a foreign one is none of our business', () => {
  const { warnings } = readConfig({ KURIR_PROT: '7420', KURIROS: '1', PORT: '80' })
  expect(warnings).toEqual(['KURIR_PROT is not a setting of Kurir'])
})

test('an empty value counts as not given', () => {
  expect(readConfig({ KURIR_PORT: '', KURIR_OWNER_TOKEN: '', KURIR_PROT: '' })).toMatchObject({
    config: { port: undefined },
    warnings: [],
  })
})

const CLUSTER = { KURIR_DATABASE_URL: 'postgresql://kurir@127.0.0.1/kurir', KURIR_VAULT_KEY_FILE: '/run/vault.key' }
const KEY = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hunter2' }

test.each([
  [
    's3://invoices?region=ap-southeast-3',
    { bucket: 'invoices', prefix: '', region: 'ap-southeast-3', endpoint: undefined },
  ],
  [
    's3://in.voices/shop/files/?endpoint=http://10.0.0.7:9000',
    { bucket: 'in.voices', prefix: 'shop/files/', region: 'us-east-1', endpoint: 'http://10.0.0.7:9000' },
  ],
])('the object store %s', (url, place) => {
  const { config, warnings } = readConfig({ ...CLUSTER, ...KEY, KURIR_FILES_URL: url })
  expect(config.cluster?.files).toEqual({
    ...place,
    ...{ accessKeyId: 'id', secretAccessKey: 'hunter2', sessionToken: undefined },
  })
  expect(warnings).toEqual([])
})

test.each([
  ['https://invoices.example', /must look like s3:/],
  ['s3:///files?region=eu-central-1', /KURIR_FILES_URL/],
  ['s3://invoices', /needs \?region=/],
  ['s3://in.voices?region=eu-central-1', /bucket with a dot/],
  ['s3://invoices/a//b?region=eu-central-1', /single slashes/],
  ['s3://invoices/a/../b%20c?region=eu-central-1', /single slashes/],
  ['s3://invoices?region=eu-central-1&endpiont=http://files.example', /endpiont/],
  ['s3://invoices?endpoint=files.example', /must look like https:/],
  ['s3://invoices?endpoint=https://files.example?a=b', /without a key or a query/],
  ['s3://id:hunter2@invoices?region=eu-central-1', /AWS_ACCESS_KEY_ID/],
])('KURIR_FILES_URL=%s stops the start, and no key is shown', (url, why) => {
  const read = () => readConfig({ ...CLUSTER, ...KEY, KURIR_FILES_URL: url })
  expect(read).toThrow(why)
  expect(read).not.toThrow(/hunter2/)
})

test('an object store needs a shared database, and a key', () => {
  const files = { KURIR_FILES_URL: 's3://invoices?region=eu-central-1' }
  expect(() => readConfig({ ...files, ...KEY })).toThrow(/give KURIR_DATABASE_URL/)
  expect(() => readConfig({ ...CLUSTER, ...files })).toThrow(/AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: are needed/)
  expect(readConfig({ ...CLUSTER, ...KEY }).config.cluster?.files, 'a key of other programs').toBeUndefined()
})

test.skipIf(process.platform !== 'linux')('a folder of XDG that is empty or relative counts as not given', () => {
  const homeOf = (env: NodeJS.ProcessEnv) => readConfig(env).config.home
  const usual = homeOf({})
  for (const folder of ['', 'data', './data']) {
    expect(homeOf({ XDG_DATA_HOME: folder })).toBe(usual)
    expect(possibleHomes({ XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder })).toEqual(possibleHomes({}))
  }
  expect(homeOf({ XDG_DATA_HOME: '/srv/data' })).toBe('/srv/data/kurir')
})
