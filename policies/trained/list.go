package trained

// List returns every policy, game by game.
func List() []Policy {
	return []Policy{
		{"pig-qlearning", "pigpen train --variant pig --agent qlearning --steps 2.5G --out pig-qlearning.msgpack",
			51, 0.4992776912743296, 0.0007480421561270045},
		{"pig-montecarlo", "pigpen train --variant pig --agent montecarlo --steps 2.5G --out pig-montecarlo.msgpack",
			50, 0.4991436831084577, 0.0008733020163225191},
		{"pig-doubles-qlearning", "pigpen train --variant pig-doubles --agent qlearning --steps 2.5G --out pig-doubles-qlearning.msgpack",
			96, 0.4995806184604088, 0.000420459087169589},
		{"pig-doubles-montecarlo", "pigpen train --variant pig-doubles --agent montecarlo --steps 2.5G --out pig-doubles-montecarlo.msgpack",
			32, 0.49982620629710933, 0.00017781876644185068},
		{"pig-last-round-qlearning", "pigpen train --variant pig-last-round --agent qlearning --steps 2.5G --out pig-last-round-qlearning.msgpack",
			71, 0.4929601567574575, 0.007942824384965963},
		{"pig-last-round-montecarlo", "pigpen train --variant pig-last-round --agent montecarlo --steps 2.5G --out pig-last-round-montecarlo.msgpack",
			66, 0.4943875843916986, 0.005842030248764063},
		{"cochon-qlearning", "pigpen train --variant cochon --agent qlearning --steps 300M --out cochon-qlearning.msgpack",
			11, 0.5000000000000004, 0},
		{"cochon-montecarlo", "pigpen train --variant cochon --agent montecarlo --steps 300M --out cochon-montecarlo.msgpack",
			5, 0.5000000000000004, 0},
		{"piglet-qlearning", "pigpen train --variant piglet --agent qlearning --steps 300M --out piglet-qlearning.msgpack",
			10, 0.4988986139952568, 0.0011013860047432988},
		{"piglet-montecarlo", "pigpen train --variant piglet --agent montecarlo --steps 300M --out piglet-montecarlo.msgpack",
			3, 0.49994346648947674, 5.6533510523260055e-05},
		{"pig-snake-eyes-qlearning", "pigpen train --variant pig-snake-eyes --agent qlearning --steps 2.5G --out pig-snake-eyes-qlearning.msgpack",
			67, 0.4998012448211178, 0.00019974496452324075},
		{"pig-snake-eyes-montecarlo", "pigpen train --variant pig-snake-eyes --agent montecarlo --steps 2.5G --out pig-snake-eyes-montecarlo.msgpack",
			46, 0.4995951065133143, 0.00040878492226437135},
		{"pass-the-pigs-qlearning", "pigpen train --variant pass-the-pigs --agent qlearning --steps 400M --out pass-the-pigs-qlearning.msgpack",
			6, 0.4978357348222462, 0.00219311581221171},
		{"double-trouble-qlearning", "pigpen train --variant double-trouble --agent qlearning --steps 400M --out double-trouble-qlearning.msgpack",
			15, 0.49969826344212087, 0.0003032627320852521},
	}
}
