import { describe, expect, it } from 'vitest'
import { parseAddress, sessionTargets } from './address.ts'

describe('SCALE-02 a database address with several hosts', () => {
  it('is read as libpq reads it', () => {
    const address = parseAddress(
      'postgres://lis:p%40ss@a:5432,b:5433,[::1]:6000/lis?target_session_attrs=read-write&connect_timeout=3&sslmode=disable',
    )
    expect(address.hosts).toEqual([
      { host: 'a', port: 5432 },
      { host: 'b', port: 5433 },
      { host: '::1', port: 6000 },
    ])
    expect([address.target, address.connectTimeoutMs]).toEqual(['read-write', 3000])
    expect(address.label).toBe('a:5432,b:5433,[::1]:6000/lis')
    expect(address.hosts.map(address.urlOf)).toEqual([
      'postgres://lis:p%40ss@a:5432/lis?sslmode=disable',
      'postgres://lis:p%40ss@b:5433/lis?sslmode=disable',
      'postgres://lis:p%40ss@[::1]:6000/lis?sslmode=disable',
    ])
  })

  it.each(sessionTargets)('accepts target_session_attrs=%s', (target) => {
    expect(parseAddress(`postgres://u@a,b/lis?target_session_attrs=${target}`).target).toBe(target)
  })

  it('wants the one that takes changes unless it says otherwise; of a single host nothing is asked', () => {
    expect(parseAddress('postgres://u:p@a,b/lis').target).toBe('read-write')
    expect(parseAddress('postgres://u:p@a/lis').target).toBe('any')
    expect(parseAddress('postgres://u:p@a,b/lis').connectTimeoutMs).toBe(3000)
  })

  it('takes hosts as parameters, and the folder of a Unix socket', () => {
    expect(parseAddress('postgres://u:p@/lis?host=a,b&port=5432,5433').hosts).toEqual([
      { host: 'a', port: 5432 },
      { host: 'b', port: 5433 },
    ])
    const socket = parseAddress('postgres://u:p@/lis?host=/run/postgresql')
    expect(socket.hosts).toEqual([{ host: '/run/postgresql', port: 5432 }])
    expect(socket.hosts.map(socket.urlOf)).toEqual(['postgres://u:p@/lis?host=%2Frun%2Fpostgresql&port=5432'])
  })

  it.each([
    ['mysql://lis:hunter2@a/lis', 'must be postgres://'],
    ['postgres://lis:hunter2@a:99999/lis', 'port'],
    ['postgres://lis:hunter2/lis', 'port'],
    ['postgres://lis:hunter2@a,b/lis?target_session_attrs=writer', 'target_session_attrs'],
    ['postgres://lis:hunter2@a,b/lis?connect_timeout=soon', 'connect_timeout'],
  ])('says what is wrong with %s without the password', (text, words) => {
    expect(() => parseAddress(text)).toThrow(words)
    expect(() => parseAddress(text)).not.toThrow('hunter2')
  })
})
