# Places. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test GEOADD and what it keeps
> GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
< 2
> GEOADD g 13.361389 38.115556 Palermo
< 0
> GEOADD g CH 13.4 38.2 Palermo
< 1
> GEOADD g NX 1 1 Palermo 2 2 new
< 1
> GEOADD g XX CH 13.361389 38.115556 Palermo 3 3 none
< 1
> ZSCORE g Palermo
< ,3479099956230698
> ZRANGE g 0 -1
< ["new" "Palermo" "Catania"]
> GEOPOS g Palermo missing
<2 [["13.36138933897018433" "38.11555639549629859"] nil*]
<3 [[,13.36138933897018433 ,38.11555639549629859] nil]
> GEOPOS missing a
<2 [nil*]
<3 [nil]
> GEOPOS g
< []
> GEOHASH g Palermo Catania missing
< ["sqc8b49rny0" "sqdtr74hyu0" nil]
> GEOHASH missing a
< [nil]
> GEODIST g Palermo Catania
< "166274.1516"
> GEODIST g Palermo Catania km
< "166.2742"
> GEODIST g Palermo Catania FT
< "545518.8700"
> GEODIST g Palermo Catania mi
< "103.3182"
> GEODIST g Palermo Palermo
< "0.0000"
> GEODIST g Palermo missing
< nil
> GEODIST missing a b
< nil
> GEODIST g Palermo Catania cm
< -ERR unsupported unit provided. please use M, KM, FT, MI
> GEODIST g a b m x
< -ERR syntax error

test GEOADD errors
> GEOADD g 1 2
< -ERR wrong number of arguments for 'geoadd' command
> GEOADD g NX
< -ERR wrong number of arguments for 'geoadd' command
> GEOADD g NX XX 1 2 a
< -ERR syntax error
> GEOADD g 181 2 a
< -ERR invalid longitude,latitude pair 181.000000,2.000000
> GEOADD g 1 86 a
< -ERR invalid longitude,latitude pair 1.000000,86.000000
> GEOADD g x 2 a
< -ERR value is not a valid float
> GEOADD g 1 2 a 3
< -ERR syntax error
> EXISTS g
< 0
> GEOADD g 180 85.05112878 corner -180 -85.05112878 other 0 0 middle
< 3
> GEOPOS g corner other middle
< [[,180 ,85.0511287799999991] [,-179.99999731779098511 ,-85.05112751263942528] [,0.00000268220901489 ,0.00000126736058093]]
> GEOHASH g corner other middle
< ["bp05b5048p0" "00bh0hbj200" "s0000000000"]
> SET s v
< +OK
> GEOADD s 1 2 a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> GEOPOS s a
< -WRONGTYPE Operation against a key holding the wrong kind of value

test GEOSEARCH
> GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania 12.758489 38.788135 edge1 17.241510 38.788135 edge2
< 4
> GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC
< ["Catania" "Palermo"]
> GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km DESC WITHDIST
< [["Palermo" "190.4424"] ["Catania" "56.4413"]]
> GEOSEARCH g FROMLONLAT 15 37 BYBOX 400 400 km ASC WITHCOORD WITHDIST WITHHASH
< [["Catania" "56.4413" 3479447370796909 [,15.08726745843887329 ,37.50266842333162032]] ["Palermo" "190.4424" 3479099956230698 [,13.36138933897018433 ,38.11555639549629859]] ["edge2" "279.7403" 3481342659049484 [,17.24151045083999634 ,38.78813451624225195]] ["edge1" "279.7405" 3479273021651468 [,12.7584877610206604 ,38.78813451624225195]]]
> GEOSEARCH g FROMMEMBER Palermo BYRADIUS 250 km ASC COUNT 2 WITHDIST
< [["Palermo" "0.0000"] ["edge1" "91.4007"]]
> GEOSEARCH g FROMMEMBER Palermo BYRADIUS 250000 m ASC COUNT 1 ANY
< ["Palermo"]
> GEOSEARCH g FROMMEMBER Palermo BYRADIUS 0 m
< ["Palermo"]
> GEOSEARCH g BYPOLYGON 4 13 37 13 39 16 39 16 37 ASC
< ["Catania" "Palermo"]
> GEOSEARCH g BYPOLYGON 3 12 38 13 39 13 38.5 WITHDIST
< []
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km
< []
> GEOSEARCH missing FROMLONLAT 0 0 BYRADIUS 1 km
< []
> GEOSEARCH missing FROMMEMBER a BYRADIUS 1 km
< []

test GEOSEARCH errors
> GEOADD g 13.361389 38.115556 Palermo
< 1
> GEOSEARCH g FROMMEMBER none BYRADIUS 1 km
< -ERR member none does not exist
> GEOSEARCH g FROMLONLAT 0 0 FROMMEMBER Palermo BYRADIUS 1 km
< -ERR syntax error
> GEOSEARCH g FROMLONLAT 0 0 ASC DESC WITHDIST
< -ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for GEOSEARCH
> GEOSEARCH g BYRADIUS 1 km ASC DESC WITHDIST
< -ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GEOSEARCH
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km BYBOX 1 1 km
< -ERR syntax error
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 cm
< -ERR unsupported unit provided. please use M, KM, FT, MI
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS -1 km
< -ERR radius cannot be negative
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS x km
< -ERR need numeric radius
> GEOSEARCH g FROMLONLAT 0 0 BYBOX x 1 km
< -ERR need numeric width
> GEOSEARCH g FROMLONLAT 0 0 BYBOX 1 x km
< -ERR need numeric height
> GEOSEARCH g FROMLONLAT 0 0 BYBOX -1 1 km
< -ERR height or width cannot be negative
> GEOSEARCH g FROMLONLAT 0 99 BYRADIUS 1 km
< -ERR invalid longitude,latitude pair 0.000000,99.000000
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km COUNT 0
< -ERR COUNT must be > 0
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km COUNT x
< -ERR value is not an integer or out of range
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km ANY
< -ERR the ANY argument requires COUNT argument
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km STORE d
< -ERR syntax error
> GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 1 km STOREDIST
< -ERR syntax error
> GEOSEARCH g BYPOLYGON 2 0 0 1 1
< -ERR GEOSEARCH BYPOLYGON must have at least 3 vertices
> GEOSEARCH g BYPOLYGON x 0 0 1 1
< -ERR invalid number of vertices
> GEOSEARCH g FROMLONLAT 0 0 FOO 1 km
< -ERR syntax error

test GEOSEARCHSTORE
> GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
< 2
> GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km
< 2
> ZRANGE d 0 -1 WITHSCORES
<2 ["Palermo" "3479099956230698" "Catania" "3479447370796909"]
<3 [["Palermo" ,3479099956230698] ["Catania" ,3479447370796909]]
> GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km ASC COUNT 1
< 1
> ZRANGE d 0 -1 WITHSCORES
<2 ["Catania" "3479447370796909"]
<3 [["Catania" ,3479447370796909]]
> GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km WITHDIST
< -ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options
> GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 km
< 0
> EXISTS d
< 0
> GEOSEARCHSTORE d missing FROMLONLAT 0 0 BYRADIUS 1 km
< 0

test GEORADIUS and its like
> GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
< 2
> GEORADIUS g 15 37 200 km WITHDIST ASC
< [["Catania" "56.4413"] ["Palermo" "190.4424"]]
> GEORADIUS g 15 37 100 km
< ["Catania"]
> GEORADIUS_RO g 15 37 200 km DESC
< ["Palermo" "Catania"]
> GEORADIUSBYMEMBER g Palermo 200 km ASC
< ["Palermo" "Catania"]
> GEORADIUSBYMEMBER_RO g Palermo 100 km
< ["Palermo"]
> GEORADIUS g 15 37 200 km STORE d
< 2
> ZCARD d
< 2
> GEORADIUSBYMEMBER g Palermo 200 km STORE d STOREDIST e
< 2
> EXISTS e
< 1
> GEORADIUS g 15 37 200 km WITHDIST STORE d
< -ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options
> GEORADIUS_RO g 15 37 200 km STORE d
< -ERR syntax error
> GEORADIUSBYMEMBER_RO g Palermo 200 km STORE d
< -ERR syntax error
> GEORADIUSBYMEMBER g none 200 km
< -ERR member none does not exist
> GEORADIUSBYMEMBER missing none 200 km
< []
> GEORADIUS missing 15 37 200 km STORE d
< 0
> EXISTS d
< 0
> GEORADIUS g 15 37 x km
< -ERR need numeric radius
> GEORADIUS g 200 37 1 km
< -ERR invalid longitude,latitude pair 200.000000,37.000000
> COMMAND GETKEYS GEORADIUS g 0 0 1 km STORE a STOREDIST b
< ["g" "b"]
