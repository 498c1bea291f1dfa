import { describe, expect, it } from 'vitest'
import { differencesOf, merge } from '../../ui/form/conflict.ts'
import { draftValues, visibleFields } from '../../ui/form/form-values.ts'
import { userEditFields } from './user-fields.ts'

const base = { userFirstName: 'Ann', userPhone: '16175550123', userRoleCode: 'CLNT', entityId: 5, deptIds: [1] }
const differences = (mine: object, theirs: object) =>
  differencesOf(userEditFields, base, { ...base, ...mine }, { ...base, ...theirs })

describe('a user edited by two people', () => {
  it('TABLE-G18 USR-47 never gets the role of one version with the entity of the other', () => {
    const [mine, theirs] = [{ entityId: 6 }, { userRoleCode: 'COLA', entityId: 7 }]
    const found = differences(mine, theirs)
    expect(found.map(({ field, isContested }) => [field.label, isContested])).toEqual([['Role, Entity', true]])
    for (const [side, chosen] of [
      ['mine', { userRoleCode: 'CLNT', entityId: 6 }],
      ['theirs', { userRoleCode: 'COLA', entityId: 7 }],
    ] as const) {
      const sides = { userRoleCode: side, entityId: 'mine' as const }
      expect(merge({ ...base, ...mine }, found, sides)).toMatchObject(chosen)
    }
  })

  it('USR-47 shows client 5 and collaborator 5 as different', () => {
    expect(differences({}, { userRoleCode: 'COLA', entityId: 5 })).toHaveLength(1)
    expect(differences({ userPhone: '16175550124' }, { userRoleCode: 'ADM', entityId: null })).toMatchObject([
      { field: { name: 'userPhone' }, side: 'mine' },
      { side: 'theirs', parts: { theirs: { userRoleCode: 'ADM', entityId: null } } },
    ])
  })

  it('keeps role and entity together in a draft', () => {
    const values = { ...base, userRoleCode: 'COLA' }
    const shown = visibleFields(userEditFields, values, 'MGMT')
    expect(draftValues(shown, base, values)).toEqual({ userRoleCode: 'COLA', entityId: 5 })
  })
})
