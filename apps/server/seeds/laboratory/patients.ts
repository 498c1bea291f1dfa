import type { Sex } from '@lis/contract/results/rules.ts'
import type { Catalogue } from './catalogue.ts'
import type { Client } from './clients.ts'
import { day, isoDate, isoInstant } from './clock.ts'
import type { RowSink } from './copy.ts'
import { emailOf, nearbyZip, type PersonName, personName, phoneNumber, streetAddress } from './people.ts'
import type { Plan } from './plan.ts'
import { Random, streams, weighted } from './random.ts'
import type { World } from './world.ts'

/** What an order needs to know about its patient. */
export interface Patient {
  id: number
  name: PersonName
  sex: Sex
  dob: string
  ageYears: number
  client: Client
  /** From about -2 (healthy) to 3: results of one person resemble each other from order to order. */
  risk: number
  isSmoker: boolean
  isDiabetic: boolean
  hasFullAddress: boolean
  /** For values that only the row of the patient needs. */
  random: Random
}

/** Patient number `index` is always the same person, so patients need not be kept in memory. */
export const patientAt = (index: number, plan: Plan, world: World): Patient => {
  const random = new Random(plan.seed, streams.patient, index)
  const sex: Sex = random.chance(0.52) ? 'FEMALE' : 'MALE'
  const ageDays = Math.floor((19 + 70 * ((random.next() + random.next()) / 2)) * 365.25)
  const risk = random.normal()
  return {
    id: index + 1,
    name: personName(random, sex),
    sex,
    dob: isoDate(plan.asOf - ageDays * day),
    ageYears: Math.floor(ageDays / 365.25),
    client: random.draw(world.clientDraw),
    risk,
    isSmoker: random.chance(0.16),
    isDiabetic: random.chance(risk > 0.8 ? 0.5 : 0.06),
    hasFullAddress: random.chance(0.93),
    random,
  }
}

/** The first order of the patient; later orders may be for the same person. */
export const firstOrderOf = (patientIndex: number, plan: Plan): number =>
  Math.ceil((patientIndex * plan.requisitions) / plan.patients)

/** New patients are spread evenly; the other orders are for known patients, more often for those known for a long time. */
export const patientIndexOf = (orderIndex: number, plan: Plan, random: Random): number => {
  const newest = Math.floor((orderIndex * plan.patients) / plan.requisitions)
  const isNew = firstOrderOf(newest, plan) === orderIndex
  return isNew ? newest : Math.floor(random.next() ** 1.4 * (newest + 1))
}

const races = weighted([
  ['WHITE', 52],
  ['BLACK', 13],
  ['ASIAN', 8],
  ['AIAN', 2],
  ['NHPI', 1],
  ['MULTI', 4],
  ['OTHER', 5],
  ['NA', 12],
  ['DECLINED', 3],
] as const)
const ethnicities = weighted([
  ['NA', 30],
  ['NONHISP', 50],
  ['HISP', 18],
  ['DECLINED', 2],
] as const)

export const addPatient = (rows: RowSink, catalogue: Catalogue, patient: Patient, createdAt: number) => {
  const { random, client, name, hasFullAddress } = patient
  const { place } = client
  rows.add('patient', {
    id: patient.id,
    first_name: name.first,
    middle_name: name.middle,
    last_name: name.last,
    dob: patient.dob,
    gender_code: patient.sex,
    race_code: random.draw(races),
    ethnicity_code: random.draw(ethnicities),
    addr1: hasFullAddress ? streetAddress(random) : null,
    city: hasFullAddress ? place.city : null,
    state_id: catalogue.stateId(place.country, place.state),
    country_id: catalogue.countryId(place.country),
    zip: hasFullAddress ? nearbyZip(random, place) : null,
    email: random.chance(0.6) ? emailOf(name, `mail${patient.id}.example.com`) : null,
    home_phone: random.chance(0.8) ? phoneNumber(random, place.area) : null,
    work_phone: random.chance(0.2) ? phoneNumber(random, place.area) : null,
    is_notify_opt_out: random.chance(0.05),
    created_at: isoInstant(createdAt),
  })
}
