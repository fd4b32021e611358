import { expect, it } from 'vitest'
import { endingVersion, versionEnd } from '../../../server/connections/official/graph/graph-client.ts'
import { readConfig } from '../../../server/settings/config.ts'

it.each([
  ['v21.0', '2027-01-21'],
  ['v23.0', '2027-10-08'],
  ['v24.0', '2028-02-18'],
  ['v25.0', '2028-07-29'],
  // Older than the table: already over.
  ['v19.0', '2026-10-02'],
])('%s ends two years after the release of the next one', (version, day) => {
  expect(versionEnd(version)).toEqual({ version, endsAt: Date.parse(`${day}T00:00:00Z`) })
})

it.each([['v26.0'], ['v27.0'], ['v30.1']])('the end of %s is not known', (version) => {
  expect(versionEnd(version)).toBeNull()
  expect(endingVersion(version, Date.UTC(2040, 0))).toBeNull()
})

it('warns 60 days before', () => {
  const end = Date.UTC(2027, 9, 8)
  const day = 24 * 3_600_000
  expect(endingVersion('v23.0', end - 60 * day)).toBeNull()
  expect(endingVersion('v23.0', end - 60 * day + 1)).toEqual({ version: 'v23.0', endsAt: end })
  expect(endingVersion('v23.0', end + day)).toEqual({ version: 'v23.0', endsAt: end })
})

it('the newest version is the default', () => {
  const { version } = readConfig({ KURIR_HOME: '/nowhere' }).config.graph
  expect(versionEnd(version)).toBeNull()
})
