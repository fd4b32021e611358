import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../support/app.ts'
import { readPage } from '../support/markdown.ts'
import { hasProgram, run } from '../support/run.ts'

const FOLDER = join(import.meta.dirname, '../../docs/monitoring')
const folder = mkdtempSync(join(tmpdir(), 'kurir-monitoring-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const promtool = (...args: string[]) => run(['promtool', ...args], { env: process.env })
const noPromtool = !hasProgram('promtool')

test.skipIf(noPromtool)('Prometheus takes the rules, and they fire when they should', async () => {
  expect(await promtool('check', 'rules', join(FOLDER, 'alerts.yml'))).toMatchObject({ code: 0 })
  expect(await promtool('test', 'rules', join(FOLDER, 'alerts.test.yml'))).toMatchObject({ code: 0 })
})

test.skipIf(noPromtool)('Prometheus takes the configuration that reads Kurir', async () => {
  const key = join(folder, 'kurir.key')
  writeFileSync(key, 'a key')
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, read('prometheus.yml').replace('/etc/prometheus/kurir.key', key))
  expect(await promtool('check', 'config', config)).toMatchObject({ code: 0 })
})

test('alerts and dashboard ask only for metrics and labels that Kurir has', async () => {
  const app = await startApp()
  await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } })
  await app.sender('linked', { name: 'Gudang' })
  const { text } = await app.call(await app.key(), '/metrics')
  const labelsOf = (metric: string): Set<string> => {
    const series = [...text.matchAll(new RegExp(`^${metric}\\{(.*)\\} `, 'gm'))].map(([, labels = '']) => labels)
    return new Set(series.flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, name = '']) => name)))
  }
  const dashboard = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const rules = [...read('alerts.yml').matchAll(/expr: (?:\|\n((?: {10}.*\n)+)|(.*))/g)].map(
    ([, long, short]) => long ?? short ?? '',
  )
  expect(rules).toHaveLength(5)
  for (const expression of [...asked, ...rules]) {
    for (const [, metric = '', labels = ''] of expression.matchAll(/\b(kurir_\w+)(?:\{([^}]*)\})?/g)) {
      const known = labelsOf(metric)
      if (!text.includes(`\n${metric} `)) expect([...known], metric).not.toEqual([])
      // Prometheus adds `job`.
      for (const [, label = ''] of labels.matchAll(/(\w+)=/g))
        if (label !== 'job') expect(known, metric).toContain(label)
    }
  }
})

test('the page explains each alert', () => {
  const names = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const explained = [...readPage('docs/monitoring.md').matchAll(/^\| `(Kurir\w+)` \|/gm)].map(([, name]) => name)
  expect(explained).toEqual(names)
})
