import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, '.github', 'workflows')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

interface Step {
  uses?: string
  run?: string
  id?: string
  if?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}
interface Job {
  needs?: string | string[]
  uses?: string
  if?: string
  steps?: Step[]
  permissions?: Record<string, string>
  environment?: string
  'timeout-minutes'?: number
  strategy?: { matrix: Record<string, unknown> }
}
interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const files = readdirSync(folder)
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
const workflowOf = (file: string): Workflow => parse(textOf(file))
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps = [] }) => steps)
const needsOf = ({ needs = [] }: Job): string[] => [needs].flat()

describe.each(files)('%s', (file) => {
  const workflow = workflowOf(file)
  const steps = stepsOf(workflow)

  test('may only read, but for jobs that say more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
  })

  test('uses actions by their commit, with the version beside it', () => {
    const uses = [...textOf(file).matchAll(/uses: (\S+)(.*)$/gm)].filter(([, target = '']) => !target.startsWith('./'))
    for (const [line, target = '', comment = ''] of uses) {
      expect(target, line).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
      expect(comment, line).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
  })

  test('leaves no token in the checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    for (const checkout of checkouts) expect(checkout.with).toEqual({ 'persist-credentials': false })
  })

  test('has jobs that end, and wait for jobs that exist', () => {
    for (const [name, job] of Object.entries(workflow.jobs)) {
      expect(job.uses !== undefined || (job['timeout-minutes'] ?? 0) > 0, name).toBe(true)
      expect(Object.keys(workflow.jobs), name).toEqual(expect.arrayContaining(needsOf(job)))
      if (job.uses !== undefined) expect(existsSync(join(root, job.uses)), job.uses).toBe(true)
    }
  })

  test('has commands that bash can read, without text of others in them', () => {
    for (const { run = '' } of steps) {
      expect(run).not.toMatch(/\$\{\{/)
      const { status, stderr } = spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' })
      expect(status, `${run}\n${stderr}`).toBe(0)
    }
  })

  test('runs scripts and files that exist', () => {
    const commands = steps.flatMap(({ run }) => run ?? []).join('\n')
    for (const [, name = ''] of commands.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(name)
    const named = [...commands.matchAll(/(?:^|\s)((?:scripts|packaging|\.ci)\/[\w./-]+)/gm)].map(
      ([, path = '']) => path,
    )
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('runs no code of packages while they are installed', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/npm (ci|install)(?! --ignore-scripts)/)
  })

  test('speaks of values that exist', () => {
    const jobs = Object.values(workflow.jobs)
    for (const job of jobs) {
      const text = JSON.stringify(job)
      for (const [, key = ''] of text.matchAll(/\bmatrix\.(\w+)/g)) expect(job.strategy?.matrix).toHaveProperty(key)
      for (const [, id] of text.matchAll(/\bsteps\.(\w+)\.outputs/g)) {
        expect(job.steps?.map((step) => step.id)).toContain(id)
      }
      for (const [, context = ''] of text.matchAll(/\$\{\{ ?(\w+)/g)) {
        expect(['github', 'matrix', 'runner', 'secrets', 'steps']).toContain(context)
      }
    }
  })
})

test('pushes and pull requests are checked on the three systems', () => {
  const { on, jobs } = workflowOf('ci.yml')
  expect(Object.keys(on)).toEqual(['push', 'pull_request', 'workflow_call'])
  const systems = jobs.check?.strategy?.matrix.os as string[] | undefined
  expect(systems?.map((os) => os.split('-')[0])).toEqual(['ubuntu', 'windows', 'macos'])
})

test('what has a store is tested on PostgreSQL as well', () => {
  const { jobs } = workflowOf('ci.yml')
  expect(jobs.postgres?.steps?.at(-1)?.run).toBe('npm run test:postgres')
})

describe('a release', () => {
  const { on, jobs } = workflowOf('release.yml')
  const publish = jobs.publish
  const isBefore = (name: string, other: string): boolean =>
    needsOf(jobs[other] ?? {}).some((need) => need === name || isBefore(name, need))

  test('is made of a tag', () => {
    expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null })
    expect(publish?.if).toBe("github.ref_type == 'tag'")
  })

  test('is checked before anything is built, and published when all is there', () => {
    for (const build of ['desktop', 'server', 'image']) {
      expect(isBefore('version', build) && isBefore('check', build), build).toBe(true)
      expect(isBefore(build, 'publish'), build).toBe(true)
    }
    expect(jobs.check?.uses).toBe('./.github/workflows/ci.yml')
    expect(JSON.stringify(jobs.desktop?.strategy)).toMatch(/windows.*macos.*ubuntu/)
  })

  test('has one job that may write, and no code of packages runs beside its token', () => {
    const writers = Object.entries(jobs).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    )
    expect(writers.map(([name]) => name)).toEqual(['publish'])
    expect(publish?.environment).toBe('release')
    const commands = publish?.steps?.flatMap(({ run }) => run ?? []).join('\n') ?? ''
    expect(commands).not.toMatch(/\bnp[mx]\b|docker (build|run)/)
    const elsewhere = Object.entries(jobs).filter(([name]) => name !== 'publish')
    expect(JSON.stringify(elsewhere)).not.toMatch(/GITHUB_TOKEN|github\.token/)
  })

  test('is attested, and is one draft that holds every file', () => {
    const attested = publish?.steps?.filter(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))
    expect(attested?.map((step) => Object.keys(step.with ?? {})[0])).toEqual(['subject-path', 'subject-name'])
    const commands = publish?.steps?.map(({ run = '' }) => run) ?? []
    const complete = commands.findIndex((run) => run.includes('scripts/release/complete.mjs'))
    const draft = commands.findIndex((run) => run.includes('gh release create'))
    expect(complete).toBeGreaterThan(0)
    expect(draft).toBeGreaterThan(complete)
    expect(commands[draft]).toMatch(/--draft .*files\/\*$/m)
    expect(commands[draft]).toContain('gh release view')
  })
})
