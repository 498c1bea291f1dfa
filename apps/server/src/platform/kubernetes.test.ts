import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingNames } from './config.ts'

const text = readFileSync(join(import.meta.dirname, '../../../../deploy/kubernetes/lis.yaml'), 'utf8')
const documents = text.split(/^---$/m)
const find = (kind: string, name: string) =>
  documents.find((one) => new RegExp(`^kind: ${kind}$`, 'm').test(one) && one.includes(`name: ${name}\n`)) ?? ''
const seconds = (pattern: RegExp, from: string) => Number(pattern.exec(from)?.[1])

describe('SCALE-10 the manifests for Kubernetes', () => {
  const server = find('Deployment', 'lis-server')

  it('name only settings that exist', () => {
    const names = [...find('ConfigMap', 'lis').matchAll(/^ {2}([A-Z0-9_]+):/gm)].map(([, name]) => name)
    expect(names).toContain('DRAIN_SECONDS')
    expect(names.filter((name) => !settingNames.includes(name ?? ''))).toEqual([])
  })

  it('ask the right address for each purpose, and never take away a server before the next is ready', () => {
    expect(server).toMatch(/readinessProbe:\n\s+httpGet: \{ path: \/readyz/)
    expect(server).toMatch(/livenessProbe:\n\s+httpGet: \{ path: \/livez/)
    expect(server).toContain('maxUnavailable: 0')
    expect(documents.filter((one) => one.includes('kind: PodDisruptionBudget'))).toHaveLength(2)
  })

  it('leave enough time to drain and to stop', () => {
    const drain = seconds(/DRAIN_SECONDS: '(\d+)'/, text)
    const readiness = server.slice(server.indexOf('readinessProbe'))
    const noticed = seconds(/periodSeconds: (\d+)/, readiness) * seconds(/failureThreshold: (\d+)/, readiness)
    expect(drain).toBeGreaterThan(noticed + 5)
    expect(seconds(/terminationGracePeriodSeconds: (\d+)/, server)).toBeGreaterThanOrEqual(drain + 60)
  })
})
