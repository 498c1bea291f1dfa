import { describe, expect, it } from 'vitest'
import { createConversions } from '../ui/form/conversions.ts'
import { convertHeight, convertWeight } from './measures.ts'

describe('a measure, DAY-15', () => {
  it.each([
    ['150', 'LBS', 'KG', '68'],
    ['68', 'KG', 'LBS', '150'],
    [200, 'LBS', 'KG', '91'],
  ])('weight %s %s is in %s %s', (weight, weightUom, next, expected) => {
    expect(convertWeight({ weight, weightUom }, next)).toEqual({ weight: expected })
  })

  it.each([
    [{ heightUom: 'INCH', heightFeet: '5', heightInches: '7' }, 'CM', { heightCm: '170.2' }],
    [{ heightUom: 'INCH', heightFeet: '6', heightInches: '' }, 'CM', { heightCm: '182.9' }],
    [{ heightUom: 'CM', heightCm: '170' }, 'INCH', { heightFeet: '5', heightInches: '6.9' }],
    [{ heightUom: 'CM', heightCm: 182.8 }, 'INCH', { heightFeet: '6', heightInches: '0' }],
  ])('height %j in %s', (values, next, expected) => {
    expect(convertHeight(values, next)).toEqual(expected)
  })

  it('that is empty or no number stays as it is', () => {
    expect(convertWeight({ weight: '', weightUom: 'LBS' }, 'KG')).toEqual({})
    expect(convertWeight({ weight: 'heavy', weightUom: 'LBS' }, 'KG')).toEqual({})
    expect(convertWeight({ weight: '150', weightUom: 'LBS' }, 'LBS')).toEqual({})
    expect(convertHeight({ heightUom: 'INCH' }, 'CM')).toEqual({})
    expect(convertHeight({ heightUom: 'CM' }, 'INCH')).toEqual({})
  })

  it('gets its former value back with its former unit, unless it was typed over', () => {
    const convert = createConversions([{ name: 'weightUom', label: '', kind: 'select', converts: convertWeight }])
    expect(convert('weightUom', { weight: '151', weightUom: 'LBS' }, 'KG')).toEqual({ weight: '68' })
    expect(convert('weightUom', { weight: '68', weightUom: 'KG' }, 'LBS')).toEqual({ weight: '151' })
    expect(convert('weightUom', { weight: '151', weightUom: 'LBS' }, 'KG')).toEqual({ weight: '68' })
    expect(convert('weightUom', { weight: '70', weightUom: 'KG' }, 'LBS')).toEqual({ weight: '154' })
  })
})
