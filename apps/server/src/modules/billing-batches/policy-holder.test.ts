import { describe, expect, it } from 'vitest'
import type { BillInsurance, BillPerson } from './bill-item.ts'
import { holderName, isHeldBy } from './policy-holder.ts'

const patientNamed = (firstName: string, lastName: string, middleName: string | null = null): BillPerson => ({
  id: 1,
  country: 'US',
  firstName,
  middleName,
  lastName,
  dob: '1980-02-03',
  gender: 'FEMALE',
  addr1: null,
  addr2: null,
  city: null,
  state: null,
  zip: null,
})
const heldBy = (policyHolder: string | null, insuredDob: string | null = null) =>
  ({ policyHolder, insuredDob }) as BillInsurance

describe('the patient is the policy holder', () => {
  it.each([
    ['Maria', 'Garcia Lopez', 'Maria Garcia Lopez'],
    ['Maria', 'Garcia Lopez', 'Garcia Lopez, Maria'],
    ['Maria', 'Garcia Lopez', 'Lopez, Maria Garcia'],
    ['Maria', 'Garcia Lopez', 'GARCIA LOPEZ MARIA'],
    ['María', 'García-López', 'Maria Garcia Lopez'],
    ['Dick', 'Van Dyke', 'Dick Van Dyke'],
    ['Dick', 'Van Dyke', 'Dick VanDyke'],
    ['John', 'Smith', 'John Smith Jr.'],
    ['John', 'Smith Jr.', 'John Smith'],
    ['John', 'Smith, Jr.', 'John Smith JR'],
    ['John', 'Smith', 'Smith, John, Jr.'],
    ['John', 'Smith', 'John Smith, Jr.'],
    ['John', 'Smith', 'Mr John Smith'],
    ['John', 'Smith', 'Smith, Mr. John'],
    ['John', 'Smith', 'Dr. John Q. Smith III'],
    ['Mary Ann', 'Smith', 'Mary Smith'],
    ['Mary-Ann', 'Smith', 'Mary Ann Smith'],
    ['Siobhan', 'O’Brien', "Siobhan O'Brien"],
    ['Søren', 'Sørensen', 'Soren Sorensen'],
    ['Ann', 'Miss', 'Ann Miss'],
  ])('%s / %s is %s', (first, last, holder) => {
    expect(isHeldBy(heldBy(holder), patientNamed(first, last))).toBe(true)
    expect(isHeldBy(heldBy(holder, '1980-02-03'), patientNamed(first, last))).toBe(true)
    expect(isHeldBy(heldBy(holder, '1950-01-01'), patientNamed(first, last))).toBe(false)
    expect(holderName(heldBy(holder), patientNamed(first, last))).toEqual({ last, first, suffix: '' })
  })

  it('also if no name is given', () => {
    expect(isHeldBy(heldBy(' '), patientNamed('John', 'Smith'))).toBe(true)
    expect(isHeldBy(heldBy(null), patientNamed('John', 'Smith'))).toBe(true)
  })
})

describe('another person is the policy holder, with first and last name', () => {
  it.each([
    ['Maria', 'Garcia Lopez', 'Carlos Garcia Lopez', 'Garcia Lopez', 'Carlos', ''],
    ['Maria', 'Garcia Lopez', 'Mariana Garcia Lopez', 'Garcia Lopez', 'Mariana', ''],
    ['Maria', 'Garcia Lopez', 'Carlos Ruiz', 'Ruiz', 'Carlos', ''],
    ['Maria', 'Garcia Lopez', 'Anna Maria Garcia Lopez', 'Garcia Lopez', 'Anna Maria', ''],
    ['John', 'Smith Jr.', 'John Smith Sr.', 'Smith', 'John', 'SR'],
    ['Tim', 'Smith', 'Mr. John Q Smith, Jr.', 'Smith', 'John Q', 'JR'],
    ['Tim', 'Smith', 'Van Dyke, Mary Jane', 'Van Dyke', 'Mary Jane', ''],
    ['Tim', 'Smith', 'Cher', 'Cher', '', ''],
    ['Tim', 'Smith', 'SMITH JOHN', 'SMITH', 'JOHN', ''],
    ['Tim', 'Smith', 'SMITH JOHN Q JR', 'SMITH', 'JOHN Q', 'JR'],
    ['Tim', 'Smith', 'Smith', 'Smith', '', ''],
    ['Maria', 'Garcia-Lopez', 'GARCIA LOPEZ CARLOS', 'GARCIA LOPEZ', 'CARLOS', ''],
  ])('%s / %s is not %s', (patientFirst, patientLast, holder, last, first, suffix) => {
    const patient = patientNamed(patientFirst, patientLast)
    expect(isHeldBy(heldBy(holder), patient)).toBe(false)
    expect(holderName(heldBy(holder), patient)).toEqual({ last, first, suffix })
  })

  it("also with the patient's name, distinguished by the birth date", () => {
    const father = heldBy('SMITH JOHN', '1950-01-01')
    expect(holderName(father, patientNamed('John', 'Smith'))).toEqual({ last: 'SMITH', first: 'JOHN', suffix: '' })
  })
})
